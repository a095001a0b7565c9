import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Listener {
  /** `http://127.0.0.1:<port>` */
  url: string;
  /** What answers from now on; until it is set, requests get 503. */
  serve(handler: RequestListener): void;
  close(): Promise<void>;
}

/** Listens on loopback and nowhere else: what is behind these ports trusts whoever reaches them. */
export async function listenOnLoopback(port: number): Promise<Listener> {
  let handler: RequestListener = (_req, res) => res.writeHead(503).end();
  const server: Server = createServer((req, res) => handler(req, res));
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
