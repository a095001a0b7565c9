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

/**
 * What becomes of a statement: `ignored` is answered as if it were done; `lost` breaks the connection once it has been done; for the number of an error its
 * transaction is rolled back instead, and the error is the answer.
 */
export type StatementFate = 'pass' | 'ignored' | 'lost' | number;

/** A way to a MariaDB server on which the fates of statements are decided. */
export interface MysqlWire {
  url: string;
  /** Asked at each statement, with those before it in its transaction. */
  decide: (statement: string, before: readonly string[]) => StatementFate;
  close(): Promise<void>;
}

const QUERY = 3;
const PREPARE = 22;
const HEADER = 4;

/** @param url a `mysql://` address with a `socketPath` */
export async function mysqlWire(url: string): Promise<MysqlWire> {
  const path = new URL(url).searchParams.get('socketPath') ?? '';
  const port = await freePort();
  const own = new URL(url);
  own.searchParams.delete('socketPath');
  own.hostname = '127.0.0.1';
  own.port = String(port);
  const sockets = new Set<Socket>();
  const server = createServer((client) => forward(client, connect({ path })));
  await once(server.listen(port, '127.0.0.1'), 'listening');
  const wire: MysqlWire = {
    url: own.href,
    decide: () => 'pass',
    async close() {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };

  function forward(client: Socket, database: Socket): void {
    let before: string[] = [];
    let fate: StatementFate = 'pass';
    for (const [from, to] of [
      [client, database],
      [database, client],
    ] as const) {
      sockets.add(from);
      from.on('error', () => {});
      from.on('close', () => {
        sockets.delete(from);
        to.destroy();
      });
    }
    // A client sends one command and waits, so that each chunk is one.
    client.on('data', (chunk) => {
      const isStatement = chunk[3] === 0 && (chunk[HEADER] === QUERY || chunk[HEADER] === PREPARE);
      const statement = chunk.toString('latin1', HEADER + 1);
      fate = isStatement ? wire.decide(statement, before) : 'pass';
      if (isStatement) before = /^(?:begin|commit|rollback)/i.test(statement) ? [] : [...before, statement];
      if (fate === 'ignored') client.write(DONE);
      else database.write(typeof fate === 'number' ? ROLLBACK : chunk);
    });
    database.on('data', (chunk) => {
      if (fate === 'lost') client.destroy();
      else client.write(typeof fate === 'number' ? errorPacket(fate) : chunk);
      fate = 'pass';
    });
  }
  return wire;
}

function packet(sequence: number, payload: Buffer): Buffer {
  const header = Buffer.alloc(HEADER);
  header.writeUIntLE(payload.length, 0, 3);
  header[3] = sequence;
  return Buffer.concat([header, payload]);
}

const DONE = packet(1, Buffer.of(0, 0, 0, 2, 0, 0, 0));
const ROLLBACK = packet(0, Buffer.from('\x03ROLLBACK'));

const errorPacket = (number: number): Buffer =>
  packet(1, Buffer.concat([Buffer.of(0xff, number & 0xff, number >> 8), Buffer.from('#HY000an error of the test')]));
