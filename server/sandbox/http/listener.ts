import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The limit of Go's servers. */
const HEADERS_MAX_BYTES = 1024 * 1024;

interface Listener {
  url: string;
  serve(handler: RequestListener): void;
  close(): Promise<void>;
}

/** Listens on loopback only: the services behind these ports trust anyone who can reach them. */
async function listen(port: number): Promise<Listener> {
  let handler: RequestListener = (_req, res) => res.writeHead(503).end();
  const server = createServer({ maxHeaderSize: HEADERS_MAX_BYTES }, (req, res) => handler(req, res));
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    serve: (next) => {
      handler = next;
    },
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

export interface Listeners<Name extends string> {
  /** The base URL of each, `http://127.0.0.1:<port>`. */
  urls: Record<Name, string>;
  /** Sets the request handlers; before, requests get 503. */
  serve(handlers: Record<Name, RequestListener>): void;
  close(): Promise<void>;
}

/** Opens all of the ports or none. 0 is any free port. */
export async function listenOnAll<Name extends string>(ports: Record<Name, number>): Promise<Listeners<Name>> {
  const open = new Map<Name, Listener>();
  const close = async () => {
    await Promise.all([...open.values()].map((listener) => listener.close()));
  };
  try {
    for (const [name, port] of Object.entries(ports) as [Name, number][]) open.set(name, await listen(port));
  } catch (error) {
    await close();
    throw error;
  }
  return {
    urls: Object.fromEntries([...open].map(([name, { url }]) => [name, url])) as Record<Name, string>,
    serve: (handlers) => {
      for (const [name, listener] of open) listener.serve(handlers[name]);
    },
    close,
  };
}
