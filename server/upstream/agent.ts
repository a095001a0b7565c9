import { type ClientRequest, Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { Duplex } from 'node:stream';

/** Shorter than the upstreams' own limit for idle connections; Node also heeds their `Keep-Alive: timeout=`. */
const IDLE_MS = 4_000;

/**
 * Keep-alive connections to upstreams. Closes an idle connection that receives bytes: they belong to none of our
 * requests, and the next request on it would get another caller's response. Not every supported release of Node does
 * this itself.
 * @param connections maximum number of connections to one address
 */
export function upstreamAgent(protocol: string, connections: number): HttpAgent {
  const Base = (protocol === 'https:' ? HttpsAgent : HttpAgent) as typeof HttpAgent;
  class UpstreamAgent extends Base {
    override keepSocketAlive(socket: Duplex): boolean {
      // The types lack the result, which decides whether the connection is kept.
      const keeps = super.keepSocketAlive(socket) as unknown as boolean;
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
