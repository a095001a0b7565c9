import { Agent, createServer } from 'node:http';
import express, { type RequestHandler } from 'express';
import { createProxyMiddleware } from 'http-proxy-middleware';
import { expressPrototypes } from '../../../server/http/express-prototypes.ts';
import { createLog } from '../../../server/log/log.ts';
import { streamBody } from '../../../server/upstream/proxy/answer.ts';
import { exchange } from '../../../server/upstream/proxy/exchange.ts';
import { fairConnections } from '../../../server/upstream/proxy/fair-connections.ts';
import { CONNECTIONS, createForwarder } from '../../../server/upstream/proxy/forwarder.ts';
import { MIN_THROUGHPUT, ticker } from '../../../server/upstream/proxy/min-throughput.ts';
import { proxyTo } from '../../../server/upstream/proxy/proxy.ts';
import { upstreamsAt } from '../../support/proxy-app.ts';

/**
 * The way from the library in plain Express to ours, one step a process, so that each step's cost shows:
 * `library` (http-proxy-middleware, keep-alive agent, plain Express), `prototypes` (the same, prebuilt prototypes),
 * `exchange` (framing, clocks, retries and abort, without header rules), `rules` (all rules, without the gate).
 */
const { PORT, UPSTREAM = '', STEP = 'library' } = process.env;
const target = new URL(UPSTREAM);

const library = createProxyMiddleware({ target: UPSTREAM, agent: new Agent({ keepAlive: true, maxSockets: 128 }) });

function bareExchange(): RequestHandler {
  const line = {
    forwarder: createForwarder(target),
    shares: fairConnections({ connections: CONNECTIONS, waiting: 1024, waitMs: 5000, stalledMs: 2000 }),
    ticker: ticker(1000),
    throughput: MIN_THROUGHPUT,
    timeoutMs: 5000,
  };
  return (req, res, next) =>
    exchange(line, req, res, {
      path: req.url,
      headers: { ...req.headers } as Record<string, string>,
      shareKey: '',
      refuse: next,
      answer(answer, running) {
        res.writeHead(answer.statusCode ?? 500, { ...answer.headers, connection: 'keep-alive' });
        streamBody(answer, res, res, running, () => {});
      },
    });
}

function withRules(): RequestHandler {
  const upstreams = upstreamsAt({ 'identity-admin': UPSTREAM }).filter(({ url }) => url !== undefined);
  return proxyTo(upstreams[0] as (typeof upstreams)[0], {
    upstreams,
    baseUrl: 'http://localhost:3000',
    timeoutMs: 5000,
    log: createLog({ level: 'silent', production: true }),
    authorization: async () => 'Bearer bench',
    operator: () => undefined,
    recordWrite: async () => {},
    identitiesChanged: () => {},
    requestId: () => 'bench',
    clientAddress: (req) => req.ip,
    cookieNames: ['dashboard-session', 'oauth_state'],
    shareKey: () => '',
  });
}

const app = express();
app.disable('x-powered-by');
app.disable('etag');
const handlers: Record<string, () => RequestHandler> = {
  library: () => library,
  prototypes: () => library,
  exchange: bareExchange,
  rules: withRules,
};
app.use('/api/identity-admin', handlers[STEP]?.() ?? library);
createServer(STEP === 'library' ? {} : expressPrototypes(app), app).listen(Number(PORT), '127.0.0.1');
// An exit of its own writes the processor profile that was asked for.
process.once('SIGTERM', () => process.exit());
