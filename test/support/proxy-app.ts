import assert from 'node:assert/strict';
import express from 'express';
import type { Upstream } from '../../server/config/config.ts';
import { normaliseTarget } from '../../server/gate/normalise-path.ts';
import { errorHandler, noSuchRoute } from '../../server/http/errors.ts';
import { securityHeaders } from '../../server/http/headers.ts';
import { createHttpServer } from '../../server/http/server.ts';
import { createLog } from '../../server/log.ts';
import { bodyCopies } from '../../server/upstream/proxy/body.ts';
import { type ProxyDeps, proxyTo } from '../../server/upstream/proxy/proxy.ts';
import type { ProxiedWrite } from '../../server/upstream/proxy/record-write.ts';
import { writeTurns } from '../../server/upstream/proxy/write-turns.ts';
import { UPSTREAMS, type UpstreamName, upstreamPrefix } from '../../shared/upstreams.ts';
import { PLENTY } from './context.ts';
import { listenOnLoopback } from './loopback.ts';
import { requestHead, sendRaw } from './raw-client.ts';
import { type RawUpstream, rawResponse, startRawUpstream } from './raw-upstream.ts';

/** For a suite: the proxies in front of an upstream whose responses the test sets. */
export function headerExchangeOfSuite() {
  let upstream: RawUpstream;
  let app: ProxyApp;
  /** The upstream's next responses, with complete header lines. `draining` means that the service is shutting down. */
  const reply = { status: '', headers: [] as string[], body: '', draining: false };

  before(async () => {
    upstream = await startRawUpstream(async (request, socket) => {
      await request.body;
      socket.write(rawResponse(reply.status, reply.headers, reply.body, request.method));
    });
    app = await startProxyApp(
      {
        identity: upstream.url,
        'identity-admin': upstream.url,
        oauth: upstream.url,
        'iam-identity': `${upstream.url}/base/path/`,
      },
      {
        authorization: async (name) => (name === 'oauth' ? 'Bearer stored' : undefined),
        isDraining: () => reply.draining,
      },
    );
  });
  after(async () => {
    await app.close();
    await upstream.close();
  });
  beforeEach(() => {
    upstream.requests.length = 0;
    Object.assign(reply, { status: '200 OK', headers: [], body: 'fine', draining: false });
  });

  return {
    reply,
    get upstream() {
      return upstream;
    },
    send: (line: string, headers: string[] = [], body = '') => sendRaw(app.port, requestHead(line, headers) + body),
    lastRequest: () => upstream.requests.at(-1) ?? assert.fail('no request has reached the upstream'),
  };
}

const OWN_COOKIES = ['dashboard-session', 'oauth_state', '__Host-dashboard-login', 'dashboard-login'];

/** All upstreams; those without an address are not configured. */
export const upstreamsAt = (urls: Partial<Record<UpstreamName, string>>): Upstream[] =>
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

export type ProxyApp = Awaited<ReturnType<typeof startProxyApp>>;

/** Starts the proxies behind the service's own server, without the checks of the gate. */
export async function startProxyApp(
  urls: Partial<Record<UpstreamName, string>>,
  options: Partial<ProxyDeps> & { isDraining?: () => boolean } = {},
) {
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
  const server = createHttpServer(app, {
    normalise: normaliseTarget,
    headers: securityHeaders({ production: false }),
    isServed: () => true,
    allowedNetworks: undefined,
    isDraining: options.isDraining ?? (() => false),
    log,
  });
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
