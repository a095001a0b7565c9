import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { DestinationStream } from 'pino';
import { createApp } from '../app.ts';
import { exposures, sessionRuleNotice } from '../config/config.ts';
import { packageRoot } from '../config/package-root.ts';
import { parseConfig } from '../config/parse-config.ts';
import { unreadVariables } from '../config/variables.ts';
import { createDeps, type Deps } from '../deps.ts';
import { normaliseTarget } from '../gate/normalise-path.ts';
import { securityHeaders } from '../http/headers.ts';
import { createHttpServer, servedHosts } from '../http/server.ts';
import { createLog } from '../log.ts';
import { LEAST_BYTES } from './memory.ts';
import { listenForMetrics, type MetricsListener } from './metrics-listener.ts';
import { gracefulShutdown, SHUTDOWN_TIMES } from './shutdown.ts';

const MB = 1024 * 1024;

export type Service = Awaited<ReturnType<typeof startService>>;

/**
 * Starts the service: environment, configuration, database, handlers, listener.
 * @param options.logTo where log lines are written; standard output by default
 * @param options.now milliseconds since the epoch, for tests of expiry
 * @param options.monotonic milliseconds on a monotonic clock, for tests of durations
 * @param options.prepare runs before the service listens
 * @param options.watchPace when the upstreams are checked
 * @param options.endTimes time limits of the phases of shutdown
 * @param options.signal ends a start that waits for the database
 * @throws ConfigurationError with every problem of the environment, DatabaseNotReady
 */
export async function startService(
  env: NodeJS.ProcessEnv,
  options: {
    logTo?: DestinationStream;
    now?: () => number;
    monotonic?: () => number;
    watchPace?: Parameters<typeof createDeps>[4];
    endTimes?: Partial<typeof SHUTDOWN_TIMES>;
    signal?: AbortSignal;
    prepare?: (settings: Deps['vault']) => Promise<void>;
  } = {},
) {
  const config = parseConfig(env);
  const log = createLog({ level: config.logLevel, production: config.production }, options.logTo);
  for (const { variable, text } of unreadVariables(env)) log.warn({ variable }, `${variable} ${text}`);
  const { now = Date.now, monotonic, watchPace, signal } = options;
  // Loaded only where it is used.
  const metrics = config.metrics && (await import('./metrics.ts')).createMetrics({ ...config, ...packageRoot() });
  const deps = await createDeps(config, log, now, monotonic, watchPace, signal, metrics?.observers);
  const server = createHttpServer(createApp(config, deps.app), {
    normalise: normaliseTarget,
    headers: securityHeaders({ production: config.production }),
    isServed: servedHosts(config.baseUrl, config.allowedHosts),
    allowedNetworks: config.allowedNetworks,
    isDraining: deps.isDraining,
    keepAliveSeconds: config.keepAliveSeconds,
    limits: { unansweredInAll: deps.memory.unansweredRequests },
    observe: metrics?.observers.request,
    log,
  });

  let metricsListener: MetricsListener | undefined;
  try {
    await deps.start();
    await options.prepare?.(deps.vault);
    metrics?.measure(deps.measured);
    server.listen(config.port, config.host);
    await once(server, 'listening');
    metricsListener = metrics && config.metrics && (await listenForMetrics(metrics, { ...config.metrics, log }));
  } catch (error) {
    server.close();
    await deps.close();
    throw error;
  }
  const { address, family, port } = server.address() as AddressInfo;
  if (metricsListener !== undefined) log.info({ metricsPort: metricsListener.port }, 'metrics can be read');
  log.info({ deployment: config.deployment, port }, 'listening');
  if (deps.memory.usable < LEAST_BYTES)
    log.warn({ megabytes: Math.floor(deps.memory.usable / MB) }, 'may not fit into so little memory');
  const notice = sessionRuleNotice(config);
  if (notice !== undefined) log.info({ variable: notice.variable }, `${notice.variable} ${notice.text}`);
  for (const { variable, text } of exposures(config)) log.warn({ variable }, `${variable} ${text}`);

  const times = { ...SHUTDOWN_TIMES, ...options.endTimes };
  return {
    /** Where it listens: `http://127.0.0.1:3000`. */
    url: `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`,
    log,
    /**
     * Graceful shutdown: health fails immediately, pending requests are completed, then everything is closed; at most ten
     * seconds.
     * @returns whether everything finished in time
     */
    close: (): Promise<boolean> =>
      gracefulShutdown({ server, deps, log, times }).finally(() => metricsListener?.close()),
  };
}
