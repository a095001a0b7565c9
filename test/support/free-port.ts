import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below the ports that systems use for outgoing connections (from 32,768 on Linux, from 49,152 elsewhere). */
const [FIRST, LAST] = [10_000, 32_000];

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
