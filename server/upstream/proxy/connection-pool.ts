import { type ClientRequest, Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { Socket } from 'node:net';

/** What Node calls on an agent for every request; part of the contract of all agents, but missing from the types. */
export interface AddRequest {
  addRequest(client: ClientRequest, options: object): void;
}

export interface ConnectionPool {
  /** For `http.request`; its `addRequest` serves from the idle connections first. */
  agent: HttpAgent & AddRequest;
  /** Closes idle connections: if one is stale, the others probably are, too. */
  dropIdle(): void;
}

/** Shorter than the upstream's idle timeout. */
const IDLE_MS = 4_000;

type Pooled = Socket & { _httpMessage?: { res?: { rawHeaders: readonly string[] } } | null };
interface Idle {
  socket: Pooled;
  /** Milliseconds on a monotonic clock. */
  until: number;
}

/**
 * Keep-alive connections to a single address. Node's agent opens them and queues what exceeds `connections`; between two
 * requests they wait here: its own lists are found by a name that it composes of 20 options for each request, twice.
 * @param connections maximum number of connections at once
 * @param mostIdleMs how long one is kept between two requests
 */
export function connectionPool(protocol: string, connections: number, mostIdleMs = IDLE_MS): ConnectionPool {
  const Agent = protocol === 'https:' ? HttpsAgent : HttpAgent;
  const agent = new Agent({ keepAlive: true, maxSockets: connections }) as HttpAgent & AddRequest;
  const connect = agent.addRequest.bind(agent);
  /** The one used last is used next, so that the others can expire. */
  const idle: Idle[] = [];
  let sweeping: NodeJS.Timeout | undefined;

  const [serveQueue] = agent.listeners('free') as ((socket: Socket, options: object) => void)[];
  agent.removeAllListeners('free');
  agent.on('free', (socket: Pooled, options: object) => {
    // Between two requests nobody else listens: a reset would end the process.
    if (socket.listenerCount('error', ignore) === 0) socket.on('error', ignore);
    if (Object.keys(agent.requests).length > 0) serveQueue?.call(agent, socket, options);
    else keep(socket);
  });

  function keep(socket: Pooled): void {
    idle.push({ socket, until: performance.now() + Math.min(mostIdleMs, idleMs(socket)) });
    // The finished request, with its response.
    socket._httpMessage = null;
    sweeping ??= setInterval(sweep, mostIdleMs / 8).unref();
  }

  function sweep(): void {
    const now = performance.now();
    const kept = idle.filter(({ socket, until }) => !socket.destroyed && until > now);
    for (const { socket } of idle.filter((entry) => !kept.includes(entry))) socket.destroy();
    idle.splice(0, idle.length, ...kept);
    if (idle.length > 0) return;
    clearInterval(sweeping);
    sweeping = undefined;
  }

  agent.addRequest = (client, options) => {
    for (let entry = idle.pop(); entry !== undefined; entry = idle.pop()) {
      const { socket, until } = entry;
      if (!socket.writable || until <= performance.now()) {
        socket.destroy();
        continue;
      }
      client.reusedSocket = true;
      client.onSocket(socket);
      return;
    }
    connect(client, options);
  };

  return {
    agent,
    dropIdle() {
      for (const { socket } of idle.splice(0)) socket.destroy();
    },
  };
}

const ignore = (): void => {};

/** How long the upstream keeps the connection, if it says so (`Keep-Alive: timeout=5`), less a second for the way. */
function idleMs({ _httpMessage: request }: Pooled): number {
  const raw = request?.res?.rawHeaders ?? [];
  for (let index = 0; index < raw.length; index += 2) {
    if (raw[index]?.length !== 10 || raw[index]?.toLowerCase() !== 'keep-alive') continue;
    return (Number(/timeout=(\d+)/i.exec(raw[index + 1] ?? '')?.[1] ?? Number.POSITIVE_INFINITY) - 1) * 1000;
  }
  return Number.POSITIVE_INFINITY;
}
