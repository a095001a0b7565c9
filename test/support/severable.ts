import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { freePort } from './free-port.ts';

/** A connection to a database server that can break, as when the server dies or the network fails. */
export interface SeverableDatabase {
  url: string;
  /** Open connections break, new ones are refused. */
  sever(): Promise<void>;
  restore(): Promise<void>;
  /** New connections lead to another server, which has a database with the same name; open ones stay. */
  moveTo(url: string): void;
  /** Connections stay open, but transfer nothing any more. */
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
    closeTogether(client, upstream, sockets);
    client.on('data', (chunk) => silent || upstream.write(chunk));
    upstream.on('data', (chunk) => silent || client.write(chunk));
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
  return {
    url: addressOn(port, url),
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
 * What happens to a statement. `ignored`: the client gets a success, and the server nothing. `lost`: the connection breaks
 * after its execution. The number of an error: the transaction is rolled back, and the client gets the error.
 */
export type StatementFate = 'pass' | 'ignored' | 'lost' | number;

/** A proxy of a MariaDB server that decides the fate of each statement. */
export interface MysqlWire {
  url: string;
  /** Called for each statement, with those before it in its transaction. */
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
  const sockets = new Set<Socket>();
  const server = createServer((client) => forward(client, connect({ path })));
  await once(server.listen(port, '127.0.0.1'), 'listening');
  const wire: MysqlWire = {
    url: addressOn(port, url),
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
    closeTogether(client, database, sockets);
    // A client waits for the response to each command, so that a chunk is one command.
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

/** The address with the host 127.0.0.1 and this port. */
function addressOn(port: number, url: string): string {
  const own = new URL(url);
  own.searchParams.delete('socketPath');
  own.hostname = '127.0.0.1';
  own.port = String(port);
  return own.href;
}

/** Closes each socket once the other has closed. @param sockets those that are open */
function closeTogether(client: Socket, server: Socket, sockets: Set<Socket>): void {
  for (const [own, other] of [
    [client, server],
    [server, client],
  ] as const) {
    sockets.add(own);
    own.on('error', () => {});
    own.on('close', () => {
      sockets.delete(own);
      other.destroy();
    });
  }
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
