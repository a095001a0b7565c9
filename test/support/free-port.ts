import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below the ports that systems take for outgoing connections (from 32,768 on Linux, 49,152 elsewhere). */
const [FIRST, LAST] = [10_000, 32_000];

const given = new Set<number>();

/**
 * A port to listen on later, or again after a pause. A port of the system's own choice (`listen(0)`) will not do for that:
 * while nothing listens there, another process may get it for a connection of its own.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(FIRST, LAST);
    if (given.has(port)) continue;
    given.add(port);
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
