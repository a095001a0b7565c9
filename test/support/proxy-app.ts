import express from 'express';
import type { Upstream } from '../../server/config/config.ts';
import { errorHandler, noSuchRoute } from '../../server/http/errors.ts';
import { securityHeaders } from '../../server/http/headers.ts';
import { createLog } from '../../server/log.ts';
import { bodyCopies } from '../../server/upstream/proxy/body.ts';
import { type ProxyDeps, proxyTo } from '../../server/upstream/proxy/proxy.ts';
import type { ProxiedWrite } from '../../server/upstream/proxy/record-write.ts';
import { writeTurns } from '../../server/upstream/proxy/write-turns.ts';
import { UPSTREAM_NAMES, UPSTREAMS, type UpstreamName, upstreamPrefix } from '../../shared/upstreams.ts';
import { httpServerOf, PLENTY } from './context.ts';
import { listenOnLoopback } from './loopback.ts';
import { ofTest } from './of-suite.ts';
import { RawConnection, requestHead, sendRaw } from './raw-client.ts';
import { echoRequest, type RawHandler, type RawUpstream, startRawUpstream } from './raw-upstream.ts';

const OWN_COOKIES = ['dashboard-session', 'oauth_state', '__Host-dashboard-login', 'dashboard-login'];

type Urls = Partial<Record<UpstreamName, string>>;

/** All upstreams; those without an address are not configured. */
export const upstreamsAt = (urls: Urls): Upstream[] =>
  UPSTREAMS.map((facts) => ({ ...facts, prefix: upstreamPrefix(facts.name), url: urls[facts.name] }));

/** A clock of time-outs that only moves when a test moves it, so that none depends on the speed of the machine. */
function manualClock() {
  const timers = new Set<{ intervalMs: number; tick: (elapsedMs: number) => void }>();
  return {
    clock(intervalMs: number, tick: (elapsedMs: number) => void) {
      const timer = { intervalMs, tick };
      timers.add(timer);
      return () => void timers.delete(timer);
    },
    pass(ms: number): void {
      for (const { intervalMs, tick } of timers)
        for (let passed = 0; passed < ms; passed += intervalMs) tick(intervalMs);
    },
  };
}

type ProxyOptions = Partial<ProxyDeps> & { isDraining?: () => boolean };

/** Starts the proxies behind the service's own server, without the checks of the gate. */
export async function startProxyApp(urls: Urls, options: ProxyOptions = {}) {
  const logged: Record<string, unknown>[] = [];
  const log = createLog({ level: 'info', production: false }, { write: (line) => void logged.push(JSON.parse(line)) });
  const upstreams = upstreamsAt(urls);
  const { clock, pass } = manualClock();
  const writes: ProxiedWrite[] = [];
  const batches: (readonly string[] | undefined)[] = [];
  let identityChanges = 0;
  const turns = writeTurns(options.timeoutMs ?? 600_000);
  const app = express();
  app.disable('x-powered-by');
  app.enable('case sensitive routing');
  for (const upstream of upstreams) {
    const deps: ProxyDeps = {
      upstreams,
      baseUrl: 'https://dashboard.example',
      timeoutMs: 600_000,
      clock,
      log,
      writeTurns: turns,
      authorization: async () => undefined,
      operator: () => undefined,
      ownStore: 'identity-admin',
      copyBody: bodyCopies(PLENTY.copiedBytes),
      limits: PLENTY.proxy,
      recordWrite: async (event) => void writes.push(event),
      batchWritten: (_upstream, ids) => void batches.push(ids),
      identitiesChanged: () => {
        identityChanges += 1;
      },
      clientAddress: (req) => req.ip,
      cookieNames: OWN_COOKIES,
      shareKey: (req) => req.ip ?? '',
      ...options,
    };
    app.use(upstream.prefix, proxyTo(upstream, deps));
  }
  app.use(
    noSuchRoute,
    errorHandler(log, () => false),
  );
  const { isDraining = () => false } = options;
  const server = httpServerOf(app, { headers: securityHeaders({ production: false }), isDraining, log });
  return {
    ...(await listenOnLoopback(server)),
    server,
    /** Log lines so far, parsed. */
    logged,
    /** Audit records so far. */
    writes,
    /** The ids of each batch of identities; undefined if the response did not contain them. */
    batches,
    /** How often the proxies have reported that an identity may have changed. */
    get identityChanges() {
      return identityChanges;
    },
    /** Lets time pass for the time-outs of requests. */
    passTime: pass,
  };
}

/**
 * For a suite: the proxies in front of an upstream, both new for each test.
 * @param options.handler responds to requests until a test sets another; returns them by default
 * @param options.urls the addresses of the upstreams; by default, that of this one for all
 */
export function proxiesOfTest({
  handler = echoRequest,
  keepBodies = true,
  urls = (url) => Object.fromEntries(UPSTREAM_NAMES.map((name) => [name, url])),
  ...options
}: ProxyOptions & { handler?: RawHandler; keepBodies?: boolean; urls?: (url: string) => Urls } = {}) {
  const callers: RawConnection[] = [];
  afterEach(() => {
    for (const caller of callers.splice(0)) caller.close();
  });
  const upstream: RawUpstream = ofTest(() =>
    startRawUpstream((request, socket) => proxies.handler(request, socket), { keepBodies }),
  );
  const start = (changed?: ProxyOptions) => startProxyApp(urls(upstream.url), { ...options, ...changed });
  const proxies = {
    handler,
    upstream,
    app: {} as Awaited<ReturnType<typeof start>>,
    /** Starts the proxies again, with these changes. */
    async restart(changed: ProxyOptions): Promise<void> {
      await proxies.app.close();
      proxies.app = await start(changed);
    },
    /** Sends bytes on a new connection, which is closed after the test. */
    async open(bytes: string | Buffer = ''): Promise<RawConnection> {
      const caller = await RawConnection.open(proxies.app.port);
      callers.push(caller);
      caller.write(bytes);
      return caller;
    },
    send: (line: string, headers: readonly string[] = [], body = '') =>
      sendRaw(proxies.app.port, requestHead(line, headers) + body),
  };
  beforeEach(async () => {
    proxies.handler = handler;
    proxies.app = await start();
  });
  afterEach(() => proxies.app.close());
  return proxies;
}
