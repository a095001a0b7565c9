import type { ServerResponse } from 'node:http';
import { whileRunning } from '../caches.ts';
import { listenBeside, type SideListener } from '../http/side-listener.ts';
import type { Log } from '../log.ts';

const CONNECTIONS = 16;
/** The maximum duration of a connection, regardless of what the scraper does. */
const CONNECTION_MS = 10_000;

/**
 * Serves only `GET /metrics` and the probes, on a port of its own, which `ALLOWED_NETWORKS` does not restrict.
 * @param options.isReady the readiness of the service
 * @throws if the port is in use
 */
export function listenForMetrics(
  metrics: { contentType: string; page(): Promise<string> },
  options: { host: string; port: number; isReady: () => boolean; log: Pick<Log, 'warn'>; connectionMs?: number },
): Promise<SideListener> {
  const { host, port, log, connectionMs = CONNECTION_MS } = options;
  const page = whileRunning(() => metrics.page());
  return listenBeside(
    (req, res) => {
      req.resume();
      const isProbe = req.url === '/api/health?probe=live' || req.url === '/api/health?probe=ready';
      if (!isProbe && req.url?.split('?', 1)[0] !== '/metrics') return end(res, 404, 'Not found\n');
      if (req.method !== 'GET' && req.method !== 'HEAD')
        return end(res.setHeader('Allow', 'GET, HEAD'), 405, 'Method not allowed\n');
      if (isProbe)
        return req.url?.endsWith('live') || options.isReady()
          ? end(res, 200, 'ok\n')
          : end(res.setHeader('Retry-After', '5'), 503, 'not ready\n');
      page().then(
        (text) => end(res.setHeader('Content-Type', metrics.contentType), 200, text),
        (error) => {
          log.warn({ error }, 'the metrics could not be read');
          end(res, 500, 'Failed\n');
        },
      );
    },
    { name: 'metrics', host, port, connections: CONNECTIONS, connectionMs, log },
  );
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
