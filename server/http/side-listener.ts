import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Log } from '../log.ts';

export type SideListener = Awaited<ReturnType<typeof listenBeside>>;

/** The maximum duration until a request has arrived. */
const REQUEST_MS = 10_000;

/**
 * Listens on a port beside the service's own, with strict limits, for a few known peers.
 * @param options.name in the log
 * @param options.connectionMs the maximum duration of a connection, whatever it is used for; without it, connections are
 * left open for further requests
 * @throws if the port is in use
 */
export async function listenBeside(
  handle: RequestListener,
  options: {
    name: string;
    host: string;
    port: number;
    connections: number;
    requestMs?: number;
    connectionMs?: number;
    log: Pick<Log, 'warn'>;
  },
) {
  const { name, host, port, connections, requestMs = REQUEST_MS, connectionMs, log } = options;
  const server = createServer(
    {
      headersTimeout: Math.min(REQUEST_MS, requestMs),
      requestTimeout: requestMs,
      keepAliveTimeout: 75_000,
      connectionsCheckingInterval: 1_000,
      maxHeaderSize: 8_192,
    },
    handle,
  );
  server.maxConnections = connections;
  server.on('connection', (socket) => {
    socket.on('error', () => {});
    if (connectionMs === undefined) return;
    // Node’s own timeouts end with a request.
    const ending = setTimeout(() => socket.destroy(), connectionMs).unref();
    socket.on('close', () => clearTimeout(ending));
  });
  // Pipelined requests after the first get no response.
  if (connectionMs !== undefined) server.maxRequestsPerSocket = 1;
  for (const event of ['clientError', 'upgrade', 'connect'] as const)
    server.on(event, (_request: unknown, socket: { destroy(): void }) => void socket.destroy());
  server.listen(port, host);
  await once(server, 'listening');
  server.on('error', (error) => log.warn({ error }, `the ${name} listener failed`));
  server.unref();
  return {
    port: (server.address() as AddressInfo).port,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
