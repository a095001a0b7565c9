import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { setTimeout } from 'node:timers/promises';

/**
 * Starts a server on 127.0.0.1.
 * @param port any free one by default
 */
export async function listenOnLoopback(
  server: Server & { closeAllConnections?: () => void },
  port = 0,
): Promise<{ port: number; url: string; close: () => Promise<void> }> {
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address() as AddressInfo;
  return {
    port: address.port,
    url: `http://127.0.0.1:${address.port}`,
    async close() {
      if (!server.listening) return;
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections?.();
      await closed;
    },
  };
}

/**
 * Waits until a server accepts connections.
 * @param address its port on 127.0.0.1, or the path of its socket
 * @param problem returns why the server will not start, once that is known
 */
export async function untilListening(address: number | string, problem: () => string | undefined): Promise<void> {
  while (!(await isListening(address))) {
    const reason = problem();
    if (reason !== undefined) throw new Error(reason);
    await setTimeout(20);
  }
}

async function isListening(address: number | string): Promise<boolean> {
  const socket = typeof address === 'number' ? connect(address, '127.0.0.1') : connect(address);
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

/**
 * Ports below those that systems use for outgoing connections (from 32,768 on Linux, from 49,152 elsewhere), and above
 * those to which `fetch` and browsers refuse to connect (the last one is 10,080).
 */
const [FIRST, LAST] = [10_081, 32_000];

const returned = new Set<number>();

/**
 * A port to listen on later, or again after a pause. A port that the system chooses (`listen(0)`) is not safe for that: while
 * nothing listens there, another process may get it for an outgoing connection.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(FIRST, LAST);
    if (returned.has(port)) continue;
    returned.add(port);
    if (await isFree(port)) return port;
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  try {
    await once(server.listen(port), 'listening');
  } catch {
    return false;
  }
  server.close();
  await once(server, 'close');
  return true;
}
