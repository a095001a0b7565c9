import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { freePort } from './free-port.ts';

/** A way to a database server that can be cut, as when the server dies or the network drops it. */
export interface SeverableDatabase {
  url: string;
  /** Open connections break, new ones are refused. */
  sever(): Promise<void>;
  restore(): Promise<void>;
  /** New connections lead to another server, which has the database by the same name; those that are open stay. */
  moveTo(url: string): void;
  /** Connections stay open, but nothing comes through any more. */
  silence(): void;
  close(): Promise<void>;
}

/** @param url a `mysql://` address with a host or a `socketPath` */
export async function severable(url: string): Promise<SeverableDatabase> {
  let target = new URL(url);
  const sockets = new Set<Socket>();
  let silent = false;
  let server: Server;
  const port = await freePort();

  function forward(client: Socket): void {
    const socketPath = target.searchParams.get('socketPath');
    const upstream =
      socketPath === null ? connect(Number(target.port || 3306), target.hostname) : connect({ path: socketPath });
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from);
      from.on('data', (chunk) => silent || to.write(chunk));
      from.on('error', () => {});
      from.on('close', () => {
        sockets.delete(from);
        to.destroy();
      });
    }
  }
  async function listen(): Promise<void> {
    server = createServer(forward).listen(port, '127.0.0.1');
    await once(server, 'listening');
  }
  async function sever(): Promise<void> {
    if (!server.listening) return;
    const closed = once(server, 'close');
    server.close();
    for (const socket of sockets) socket.destroy();
    await closed;
  }

  await listen();
  const own = new URL(url);
  own.searchParams.delete('socketPath');
  own.hostname = '127.0.0.1';
  own.port = String(port);
  return {
    url: own.href,
    sever,
    restore: listen,
    moveTo: (other) => {
      target = new URL(other);
    },
    silence: () => {
      silent = true;
    },
    close: sever,
  };
}
