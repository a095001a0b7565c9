import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { DestinationStream } from 'pino';
import { createApp } from './app.ts';
import { openings } from './config/open-on-purpose.ts';
import { parseConfig } from './config/parse-config.ts';
import { createDeps } from './deps.ts';
import { createHttpServer } from './http/create-server.ts';
import { servedHosts } from './http/served-hosts.ts';
import { createLog, flushed, type Log } from './log.ts';

const NOTICE_MS = 1_000;
const EXIT_WITHIN_MS = 9_000;
const FLUSH_MS = 500;

export interface Service {
  /** Where it listens: `http://127.0.0.1:3000`. */
  url: string;
  /** The public origin operators use. */
  baseUrl: string;
  log: Log;
  /** Health fails at once, open requests are answered, then everything is closed; at most ten seconds. */
  close(): Promise<void>;
}

/**
 * Starts the service: environment, configuration, database, handlers, listener.
 * @param options.logTo where log lines go; standard output when absent
 * @param options.now milliseconds since the epoch, for tests of expiry
 * @param options.monotonic milliseconds, for tests of durations
 * @param options.noticeMs how long health fails before the listener closes
 * @throws ConfigurationError with every problem of the environment
 */
export async function startService(
  env: NodeJS.ProcessEnv,
  options: { logTo?: DestinationStream; now?: () => number; monotonic?: () => number; noticeMs?: number } = {},
): Promise<Service> {
  const config = parseConfig(env);
  const log = createLog({ level: config.logLevel, production: config.production }, options.logTo);
  const deps = await createDeps(config, log, options.now ?? Date.now, options.monotonic);
  const server = createHttpServer(createApp(config, deps.app), {
    isServed: servedHosts(config.baseUrl, config.allowedHosts),
    allowedNetworks: config.allowedNetworks,
    isDraining: deps.isDraining,
    log,
  });

  try {
    server.listen(config.port, config.host);
    await once(server, 'listening');
  } catch (error) {
    await deps.close();
    throw error;
  }
  const { address, family, port } = server.address() as AddressInfo;
  log.info({ deployment: config.deployment, port }, 'listening');
  for (const { variable, text } of openings(config)) log.warn({ variable }, `${variable} ${text}`);

  async function close(): Promise<void> {
    deps.startDraining();
    const closed = once(server, 'close');
    await new Promise((resolve) => setTimeout(resolve, options.noticeMs ?? NOTICE_MS));
    server.close();
    server.closeIdleConnections();
    const deadline = setTimeout(() => server.closeAllConnections(), EXIT_WITHIN_MS - NOTICE_MS);
    await closed;
    clearTimeout(deadline);
    await deps.close();
    log.info('closed');
    await flushed(log, FLUSH_MS);
  }

  return { url: `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`, baseUrl: config.baseUrl, log, close };
}
