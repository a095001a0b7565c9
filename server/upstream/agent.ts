import { type ClientRequest, Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { Duplex } from 'node:stream';

/** Shorter than the upstreams' own limit for idle connections; Node also heeds their `Keep-Alive: timeout=`. */
const IDLE_MS = 4_000;
/** The address of an upstream may move to another server while the old one stays up; the pool of MySQL does the same. */
const MAX_AGE_MS = 300_000;

/**
 * Keep-alive connections to upstreams. Closes an idle connection that receives bytes: they belong to none of our
 * requests, and the next request on it would get another caller's response. Not every supported release of Node does
 * this itself. Keeps none that would be used beyond the age limit.
 * @param connections maximum number of connections to one address
 */
export function upstreamAgent(protocol: string, connections: number, monotonic = () => performance.now()): HttpAgent {
  const Base = (protocol === 'https:' ? HttpsAgent : HttpAgent) as typeof HttpAgent;
  const openedAt = new WeakMap<Duplex, number>();
  class UpstreamAgent extends Base {
    override createConnection(...args: Parameters<HttpAgent['createConnection']>) {
      const socket = super.createConnection(...args);
      if (socket) openedAt.set(socket, monotonic());
      return socket;
    }

    override keepSocketAlive(socket: Duplex): boolean {
      const mayBecomeTooOld = monotonic() - (openedAt.get(socket) ?? 0) > MAX_AGE_MS - IDLE_MS;
      // The types lack the result, which decides whether the connection is kept.
      const keeps = !mayBecomeTooOld && (super.keepSocketAlive(socket) as unknown as boolean);
      if (keeps) socket.once('data', closeUnsolicited);
      return keeps;
    }

    override reuseSocket(socket: Duplex, request: ClientRequest): void {
      socket.off('data', closeUnsolicited);
      super.reuseSocket(socket, request);
    }
  }
  // `timeout` closes only idle connections; a connection in use just emits an event.
  return new UpstreamAgent({ keepAlive: true, maxSockets: connections, timeout: IDLE_MS });
}

function closeUnsolicited(this: Duplex): void {
  this.destroy();
}

/** Whether a request may have failed only because the upstream was closing the idle connection that it reused. */
export const isStale = ({ reusedSocket }: ClientRequest, error: unknown): boolean =>
  reusedSocket &&
  error instanceof Error &&
  ['ECONNRESET', 'EPIPE'].includes((error as NodeJS.ErrnoException).code ?? '');

/** Closes the idle connections: if one is stale, the others probably are as well. */
export function dropIdle({ freeSockets }: HttpAgent): void {
  for (const socket of Object.values(freeSockets).flatMap((sockets) => sockets ?? [])) socket.destroy();
}
