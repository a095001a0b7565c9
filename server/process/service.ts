import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import express from 'express';
import type { DestinationStream } from 'pino';
import { createApp } from '../app.ts';
import { exposures, sessionRuleNotice } from '../config/config.ts';
import { trustExtraAuthorities } from '../config/extra-authorities.ts';
import { packageRoot } from '../config/package-root.ts';
import { parseConfig } from '../config/parse-config.ts';
import { type Clock, SYSTEM_CLOCK } from '../context.ts';
import { createDeps, type Deps, type DepsOptions } from '../deps.ts';
import { whileStarting } from '../features/health.ts';
import { normaliseTarget } from '../gate/normalise-path.ts';
import { securityHeaders } from '../http/headers.ts';
import { createHttpServer, servedHosts } from '../http/server.ts';
import type { SideListener } from '../http/side-listener.ts';
import { createLog, type Log } from '../log.ts';
import { LEAST_BYTES, memoryBudgets, usableMemory } from '../memory.ts';
import { listenForMetrics } from './metrics-listener.ts';
import { gracefulShutdown, SHUTDOWN_TIMES } from './shutdown.ts';

const MB = 1024 * 1024;

const CLOCK_CHECK_MS = 5_000;
/** Synchronised clocks drift by milliseconds only. */
const CLOCK_STEP_MS = 1_000;

/**
 * Logs when the wall clock is set: sessions then expire earlier or later than intended, and times in the audit trail are
 * out of order.
 * @returns stops watching
 */
function watchWallClock({ now, monotonic }: Clock, log: Log): () => void {
  let distance = now() - monotonic();
  const timer = setInterval(() => {
    const before = distance;
    distance = now() - monotonic();
    const step = distance - before;
    if (Math.abs(step) < CLOCK_STEP_MS) return;
    const seconds = Math.round(step / 1000);
    log.warn({ seconds }, `the wall clock was set ${seconds > 0 ? 'forward' : 'back'}`);
  }, CLOCK_CHECK_MS).unref();
  return () => clearInterval(timer);
}

interface ServiceOptions extends Omit<DepsOptions, 'observers'> {
  /** Standard output by default. */
  logTo?: DestinationStream;
  endTimes?: Partial<typeof SHUTDOWN_TIMES>;
  /** Runs before the service is ready. */
  prepare?: (settings: Deps['vault']) => Promise<void>;
}

/**
 * Starts the service: environment, configuration, listener, database, handlers. Until it has started, the listener
 * answers the liveness probe, and 503 to everything else, so that nobody mistakes a long migration for a dead process.
 * @throws ConfigurationError with every problem of the environment, DatabaseNotReady, or the reason of `signal`
 */
export async function startService(env: NodeJS.ProcessEnv, options: ServiceOptions = {}) {
  const config = parseConfig(env);
  const { version } = packageRoot();
  const of = { deployment: config.deployment, version };
  const log = createLog({ level: config.logLevel, production: config.production, of }, options.logTo);
  for (const { variable, text } of trustExtraAuthorities(config, env)) log.warn({ variable }, `${variable} ${text}`);
  const { clock = SYSTEM_CLOCK, watchPace, signal } = options;
  // Loaded only if metrics are on.
  const memory = memoryBudgets(usableMemory());
  const metrics = config.metrics && (await import('./metrics.ts')).createMetrics({ ...config, version });
  const app = express();
  let starting: ReturnType<typeof whileStarting> | undefined = whileStarting(version);
  let deps: Deps | undefined;
  const server = createHttpServer(app, {
    starting: () => starting,
    normalise: normaliseTarget,
    headers: securityHeaders({ production: config.production }),
    isServed: servedHosts(config.baseUrl, config.allowedHosts),
    allowedNetworks: config.allowedNetworks,
    isDraining: () => deps?.isDraining() === true,
    keepAliveSeconds: config.keepAliveSeconds,
    limits: { unansweredInAll: memory.unansweredRequests },
    observe: metrics?.observers.request,
    log,
  });

  let metricsListener: SideListener | undefined;
  let eventsPort: number | undefined;
  const stopWatching = watchWallClock(clock, log);
  const start = async (): Promise<Deps> => {
    server.listen(config.port, config.host);
    await once(server, 'listening');
    log.info({ port: (server.address() as AddressInfo).port }, 'starting: only the liveness probe succeeds yet');
    const isReady = (): boolean => starting === undefined && deps?.isDraining() === false;
    metricsListener =
      metrics && config.metrics && (await listenForMetrics(metrics, { ...config.metrics, isReady, log }));
    deps = await createDeps(config, log, { clock, watchPace, signal, observers: metrics?.observers });
    eventsPort = await deps.start();
    await options.prepare?.(deps.vault);
    signal?.throwIfAborted();
    metrics?.measure({ ...deps.measured, requestsInFlight: server.requestsInFlight });
    createApp(config, deps.app, app);
    starting = undefined;
    return deps;
  };
  const started = await start().catch(async (error) => {
    server.close();
    server.closeAllConnections();
    metricsListener?.close();
    stopWatching();
    await deps?.close();
    throw error;
  });
  const { address, family, port } = server.address() as AddressInfo;
  if (metricsListener !== undefined) log.info({ metricsPort: metricsListener.port }, 'metrics can be read');
  if (eventsPort !== undefined) log.info({ eventsPort }, 'events can be received');
  log.info({ port }, 'listening');
  if (memory.usable < LEAST_BYTES)
    log.warn({ megabytes: Math.floor(memory.usable / MB) }, 'the service may not fit into so little memory');
  const notice = sessionRuleNotice(config);
  if (notice !== undefined) log.info({ variable: notice.variable }, `${notice.variable} ${notice.text}`);
  for (const { variable, text } of exposures(config)) log.warn({ variable }, `${variable} ${text}`);

  const times = { ...SHUTDOWN_TIMES, ...options.endTimes };
  return {
    /** The listening address, such as `http://127.0.0.1:3000`. */
    url: `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`,
    /** The public origin operators use. */
    baseUrl: config.baseUrl,
    /** The port of the listener for events, if it is on. */
    eventsPort,
    log,
    /**
     * Graceful shutdown: health fails immediately, pending requests are completed, then everything is closed; at most ten
     * seconds.
     * @returns whether everything finished in time
     */
    close(): Promise<boolean> {
      stopWatching();
      return gracefulShutdown({ server, deps: started, log, times }).finally(() => metricsListener?.close());
    },
  };
}
export type Service = Awaited<ReturnType<typeof startService>>;
