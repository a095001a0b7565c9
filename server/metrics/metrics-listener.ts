import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Log } from '../log/log.ts';
import type { Metrics } from './metrics.ts';

export interface MetricsListener {
  port: number;
  close(): void;
}

const CONNECTIONS = 16;
/** A scraper that neither asks nor reads for this long is cut off. */
const IDLE_MS = 10_000;

/** Serves `GET /metrics` on a port of its own, and nothing else. @throws if the port is in use */
export async function listenForMetrics(
  metrics: Pick<Metrics, 'page' | 'contentType'>,
  options: { host: string; port: number; log: Pick<Log, 'warn'> },
): Promise<MetricsListener> {
  const { host, port, log } = options;
  const server: Server = createServer(
    {
      headersTimeout: IDLE_MS,
      requestTimeout: IDLE_MS,
      connectionsCheckingInterval: 1_000,
      keepAliveTimeout: 60_000,
      maxHeaderSize: 8_192,
    },
    (req, res) => {
      req.resume();
      if (req.url?.split('?', 1)[0] !== '/metrics') return end(res, 404, 'Not found\n');
      if (req.method !== 'GET' && req.method !== 'HEAD')
        return end(res.setHeader('Allow', 'GET, HEAD'), 405, 'Method not allowed\n');
      metrics.page().then(
        (page) => end(res.setHeader('Content-Type', metrics.contentType), 200, page),
        (error) => {
          log.warn({ error }, 'the metrics could not be read');
          end(res, 500, 'Failed\n');
        },
      );
    },
  );
  server.maxConnections = CONNECTIONS;
  server.maxRequestsPerSocket = 1_000;
  // Also while a response waits for its reader.
  server.on('connection', (socket) => {
    socket.setTimeout(IDLE_MS, () => socket.destroy());
    socket.on('error', () => {});
  });
  server.on('clientError', (_error, socket) => void socket.destroy());
  server.on('upgrade', (_req, socket) => void socket.destroy());
  server.on('connect', (_req, socket) => void socket.destroy());
  server.listen(port, host);
  await once(server, 'listening');
  server.on('error', (error) => log.warn({ error }, 'the listener of metrics failed'));
  server.unref();
  return {
    port: (server.address() as AddressInfo).port,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

function end(res: ServerResponse, status: number, text: string): void {
  if (!res.hasHeader('Content-Type')) res.setHeader('Content-Type', 'text/plain; charset=utf-8');
  res.writeHead(status, {
    'Content-Length': Buffer.byteLength(text),
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
  });
  res.end(res.req.method === 'HEAD' ? undefined : text);
}
