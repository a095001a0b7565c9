import { createServer } from 'node:http';

/** Listens on loopback and nowhere else: what is behind these ports trusts whoever reaches them. */
async function listen(port) {
  let handler = (_req, res) => res.writeHead(503).end();
  const server = createServer((req, res) => handler(req, res));
  await new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    serve: (next) => {
      handler = next;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
/** Opens all of the ports, or none. 0 takes any free one. */
export async function listenOnAll(ports) {
  const open = new Map();
  const close = async () => {
    await Promise.all([...open.values()].map((listener) => listener.close()));
  };
  try {
    for (const [name, port] of Object.entries(ports)) open.set(name, await listen(port));
  } catch (error) {
    await close();
    throw error;
  }
  return {
    urls: Object.fromEntries([...open].map(([name, { url }]) => [name, url])),
    serve: (handlers) => {
      for (const [name, listener] of open) listener.serve(handlers[name]);
    },
    close,
  };
}
