import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { freePort } from './loopback.ts';

/** @param url a `mysql://` address with a host or a `socketPath` */
function connectTo({ searchParams, port, hostname }: URL): Socket {
  const path = searchParams.get('socketPath');
  return path === null ? connect(Number(port || 3306), hostname) : connect({ path });
}

/**
 * Listens on loopback in front of a database server.
 * @param forward connects a client to the server, and returns that connection
 */
async function proxyOf(url: string, forward: (client: Socket) => Socket) {
  const own = new URL(url);
  own.searchParams.delete('socketPath');
  own.hostname = '127.0.0.1';
  own.port = String(await freePort());
  const sockets = new Set<Socket>();
  let server: Server;

  function closeTogether(socket: Socket, other: Socket): void {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => {
      sockets.delete(socket);
      other.destroy();
    });
  }
  async function restore(): Promise<void> {
    server = createServer((client) => {
      const upstream = forward(client);
      closeTogether(client, upstream);
      closeTogether(upstream, client);
    });
    await once(server.listen(Number(own.port), '127.0.0.1'), 'listening');
  }
  async function sever(): Promise<void> {
    if (!server.listening) return;
    const closed = once(server, 'close');
    server.close();
    for (const socket of sockets) socket.destroy();
    await closed;
  }
  await restore();
  return { url: own.href, sever, restore, close: sever };
}

/** A connection to a database server that can break, as when the server dies or the network fails. */
export interface SeverableDatabase {
  url: string;
  /** Breaks open connections, and refuses new ones. */
  sever(): Promise<void>;
  restore(): Promise<void>;
  /** Connects new clients to another server, which has a database with the same name. Open connections remain. */
  moveTo(url: string): void;
  /** Leaves connections open, but transfers nothing any more. */
  silence(): void;
  close(): Promise<void>;
}

/** @param url a `mysql://` address with a host or a `socketPath` */
export async function severable(url: string): Promise<SeverableDatabase> {
  let target = new URL(url);
  let silent = false;
  const proxy = await proxyOf(url, (client) => {
    const upstream = connectTo(target);
    client.on('data', (chunk) => silent || upstream.write(chunk));
    upstream.on('data', (chunk) => silent || client.write(chunk));
    return upstream;
  });
  return {
    ...proxy,
    moveTo: (other) => {
      target = new URL(other);
    },
    silence: () => {
      silent = true;
    },
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

/** @param url a `mysql://` address with a host or a `socketPath` */
export async function mysqlWire(url: string): Promise<MysqlWire> {
  const proxy = await proxyOf(url, (client) => {
    const upstream = connectTo(new URL(url));
    let before: string[] = [];
    let fate: StatementFate = 'pass';
    // A client waits for the response to each command, so each chunk is one command.
    client.on('data', (chunk) => {
      const isStatement = chunk[3] === 0 && (chunk[HEADER] === QUERY || chunk[HEADER] === PREPARE);
      const statement = chunk.toString('latin1', HEADER + 1);
      fate = isStatement ? wire.decide(statement, before) : 'pass';
      if (isStatement) before = /^(?:begin|commit|rollback)/i.test(statement) ? [] : [...before, statement];
      if (fate === 'ignored') client.write(DONE);
      else upstream.write(typeof fate === 'number' ? ROLLBACK : chunk);
    });
    upstream.on('data', (chunk) => {
      if (fate === 'lost') client.destroy();
      else client.write(typeof fate === 'number' ? errorPacket(fate) : chunk);
      fate = 'pass';
    });
    return upstream;
  });
  const wire: MysqlWire = { url: proxy.url, close: proxy.close, decide: () => 'pass' };
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
