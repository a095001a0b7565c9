import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
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
import { UPSTREAMS, type UpstreamName, upstreamPrefix } from '../../shared/upstreams.ts';
import { PLENTY } from './context.ts';
import { head, sendRaw } from './raw-client.ts';
import { type RawUpstream, rawResponse, startRawUpstream } from './raw-upstream.ts';

/** The proxies before an upstream that answers as it is told, for the suite in which this is called. */
export function headerExchangeOfSuite() {
  let upstream: RawUpstream;
  let app: ProxyApp;
  /** Header lines of the upstream's next answers, and its status; whether the service shuts down. */
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
    send: (line: string, headers: string[] = [], body = '') => sendRaw(app.port, head(line, headers) + body),
    seen: () => upstream.requests.at(-1) ?? assert.fail('the upstream saw no request'),
  };
}

export interface ProxyApp {
  url: string;
  port: number;
  server: Server;
  /** Audit records so far. */
  writes: ProxiedWrite[];
  /** How often an identity may have changed. */
  identityChanges: number;
  /** The ids of each batch of identities; undefined where its answer did not say. */
  batches: (readonly string[] | undefined)[];
  /** Log lines so far, as objects. */
  logged: Record<string, unknown>[];
  /** Lets time pass for requests that are being proxied: for them there is no other clock. */
  pass(milliseconds: number): void;
  close(): Promise<void>;
}

const OWN_COOKIES = ['dashboard-session', 'oauth_state', '__Host-dashboard-login', 'dashboard-login'];

/** All six upstreams; those not named are not configured. */
export const upstreamsAt = (urls: Partial<Record<UpstreamName, string>>): Upstream[] =>
  UPSTREAMS.map((facts) => ({ ...facts, prefix: upstreamPrefix(facts.name), url: urls[facts.name] }));

/** Time-outs run out when a test says so, and never because a machine is slow. */
function manualClock() {
  const running = new Set<{ milliseconds: number; tick: (elapsedMs: number) => void }>();
  return {
    clock(milliseconds: number, tick: (elapsedMs: number) => void) {
      const one = { milliseconds, tick };
      running.add(one);
      return () => void running.delete(one);
    },
    pass(ms: number): void {
      for (const { milliseconds, tick } of running)
        for (let passed = 0; passed < ms; passed += milliseconds) tick(milliseconds);
    },
  };
}

/** The proxies behind the service's own server, without the checks of the gate. */
export async function startProxyApp(
  urls: Partial<Record<UpstreamName, string>>,
  options: Partial<ProxyDeps> & { isDraining?: () => boolean } = {},
): Promise<ProxyApp> {
  const logged: Record<string, unknown>[] = [];
  const log = createLog({ level: 'info', production: false }, { write: (line) => void logged.push(JSON.parse(line)) });
  const upstreams = upstreamsAt(urls);
  const { clock, pass } = manualClock();
  const app = express();
  app.disable('x-powered-by');
  app.enable('case sensitive routing');
  const running: ProxyApp = {
    url: '',
    port: 0,
    logged,
    writes: [],
    identityChanges: 0,
    batches: [],
    server: createServer(),
    pass,
    close,
  };
  for (const upstream of upstreams) {
    const deps: ProxyDeps = {
      upstreams,
      baseUrl: 'https://dashboard.example',
      timeoutMs: 600_000,
      clock,
      log,
      authorization: async () => undefined,
      operator: () => undefined,
      ownStore: 'identity-admin',
      copyBody: bodyCopies(PLENTY.copiedBytes),
      limits: PLENTY.proxy,
      recordWrite: async (event) => void running.writes.push(event),
      batchWritten: (_upstream, ids) => void running.batches.push(ids),
      identitiesChanged: () => {
        running.identityChanges += 1;
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
  running.server = createHttpServer(app, {
    normalise: normaliseTarget,
    headers: securityHeaders({ production: false }),
    isServed: () => true,
    allowedNetworks: undefined,
    isDraining: options.isDraining ?? (() => false),
    log,
  });
  running.server.listen(0, '127.0.0.1');
  await once(running.server, 'listening');
  running.port = (running.server.address() as AddressInfo).port;
  running.url = `http://127.0.0.1:${running.port}`;
  return running;

  async function close(): Promise<void> {
    running.server.close();
    running.server.closeAllConnections();
    if (running.server.listening) await once(running.server, 'close');
  }
}
