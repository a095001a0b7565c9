import type { IncomingMessage } from 'node:http';
import type { Request, RequestHandler, Response } from 'express';
import type { UpstreamName } from '../../../shared/upstreams.ts';
import type { Upstream } from '../../config/config.ts';
import { ApiError } from '../../http/errors.ts';
import { isUnsafeMethod } from '../../http/response.ts';
import type { Log } from '../../log.ts';
import type { Authorization } from '../credentials.ts';
import { classOf, type ObserveUpstream, UpstreamFailure, type UpstreamOutcome } from '../failure.ts';
import type { BodyCopy } from './body.ts';
import { heldBodies, noteBatchIds } from './body.ts';
import { isJson, replacedError, translatedError } from './errors.ts';
import { createForwarder, fairConnections } from './forwarder.ts';
import { type HeaderList, headersForUpstream, ownCookies } from './headers.ts';
import { keepOwnAccount, type OperatorAccounts } from './own-account.ts';
import { Exchange, type UpstreamConnection } from './proxied-request.ts';
import { type ProxiedWrite, redactor, type WriteRecorder, writeRecorder } from './record-write.ts';
import { isRefusedPath } from './refused-paths.ts';
import { challengeRule, headOf, ownAddresses, streamBody } from './response.ts';
import { MIN_THROUGHPUT, type ThroughputLimits, type Ticker, ticker } from './throughput.ts';

export interface ProxyDeps {
  /** All of them, so that addresses of one upstream in another's response are mapped to its prefix. */
  upstreams: readonly Upstream[];
  /** The public origin, sent to the upstreams instead of the host named by the client. */
  baseUrl: string;
  timeoutMs: number;
  log: Log;
  authorization: Authorization;
  /** The identity id of the verified session, if there is one. */
  operator(res: Response): string | undefined;
  /** Whom the operators' store keeps from ending their own way in; undefined: nobody. */
  operatorAccounts?: OperatorAccounts;
  /** The admin API of the deployment's own people. */
  ownStore: UpstreamName;
  /** Prepares the copy of a body, of which the names of its members are recorded. */
  copyOf(req: IncomingMessage): BodyCopy;
  /** Queues the record of a write. Resolves once it is stored or waiting is pointless; never rejects. */
  recordWrite(event: ProxiedWrite): Promise<void>;
  /** A batch of identities was written; undefined if the answer does not say which. */
  batchWritten(upstream: UpstreamName, ids: readonly string[] | undefined): void;
  /** Called when identities of a store may have changed. */
  identitiesChanged(): void;
  requestId(res: Response): string;
  /** The client's address as far as trusted proxies vouch for it. */
  clientAddress(req: Request): string | undefined;
  /** The dashboard's own cookies, which must neither reach an upstream nor be set by one. */
  cookieNames: readonly string[];
  /** The key for sharing connections: a session, else an address. */
  shareKey(req: Request, res: Response): string;
  /** Minimum throughput of both ends of a transfer; has a default. */
  throughput?: ThroughputLimits;
  /** The clock of time-outs and throughput; has a default. */
  ticker?: (milliseconds: number) => Ticker;
  /** What each upstream may hold: connections, requests that wait for one, bytes of responses that are held back. */
  limits: { connections: number; waiting: number; heldBytes: number };
  /** Told how each forwarded request ended. */
  observe?: ObserveUpstream | undefined;
}

const STALLED_MS = 2_000;
/** How precisely the time-outs of exchanges are kept. */
const TICK_MS = 50;

/** Kratos answers with and without `/admin`; a batch creates many identities in one request. */
const BATCH_PATH = /^\/(?:admin\/)?identities(?:\?|$)/i;

/**
 * Forwards `/api/<name>/rest?query` to `<upstream>/rest?query`, streaming both ways. Mounted after the gate's checks
 * and before any body parser. Errors (docs/api.md#errors): 502 `bad_gateway`, 504 `gateway_timeout`, 500 `proxy_error`,
 * 403 `forbidden` for what is never served, 409 `own_account` for what would end an operator's own way in, 408 `request_timeout` for an idle upload, `upstream_error` with the
 * upstream's own status.
 */
export function proxyTo(upstream: Upstream, deps: ProxyDeps): RequestHandler[] {
  const { url, admin } = upstream;
  const refusal = (req: Request): ApiError | undefined =>
    isRefusedPath(upstream, req.url)
      ? new ApiError('forbidden', { message: 'Private keys are not served.', hint: null })
      : undefined;
  if (url === undefined) return [(req, _res, next) => next(refusal(req) ?? new ApiError('bad_gateway'))];

  const target = new URL(url);
  const basePath = target.pathname.replace(/\/$/, '');
  const { timeoutMs, throughput = MIN_THROUGHPUT, limits } = deps;
  const measureMs = Math.min(1000, throughput.ms / 30);
  const connection: UpstreamConnection = {
    forwarder: createForwarder(target, limits.connections),
    connections: fairConnections({
      connections: limits.connections,
      waiting: limits.waiting,
      waitMs: timeoutMs,
      stalledMs: Math.min(STALLED_MS, throughput.ms / 4),
    }),
    ticker: (deps.ticker ?? ticker)(Math.min(TICK_MS, timeoutMs / 4, measureMs)),
    throughput,
    measureMs,
    timeoutMs,
  };
  const base = new URL(deps.baseUrl);
  const own = { host: base.host, protocol: base.protocol.slice(0, -1) };
  const cookies = ownCookies(deps.cookieNames);
  const rules = { cookies, addresses: ownAddresses(deps.upstreams, { ...upstream, url }) };
  const heldBack = heldBodies(limits.heldBytes);
  const redact = redactor(deps.upstreams.flatMap((other) => (other.url ? [new URL(other.url).hostname] : [])));

  /** Strips first and injects last, so that nothing the client sends can remove an injected header. */
  function outgoingHeaders(req: Request, res: Response, key: string | undefined): HeaderList {
    const headers = headersForUpstream(req.rawHeaders, (name, value) => {
      if (name === 'cookie') return cookies.strip(value);
      return name === 'authorization' && (admin || key !== undefined) ? undefined : value;
    });
    const client = deps.clientAddress(req);
    if (client !== undefined) headers.push('X-Forwarded-For', client, 'X-Real-IP', client);
    headers.push('X-Forwarded-Host', own.host, 'X-Forwarded-Proto', own.protocol);
    headers.push('X-Request-Id', deps.requestId(res));
    if (key !== undefined) headers.push('Authorization', key);
    return headers;
  }

  function pass(
    answer: IncomingMessage,
    running: Exchange,
    req: Request,
    res: Response,
    path: string,
    recorder: WriteRecorder | undefined,
  ): void {
    const status = answer.statusCode ?? 0;
    if (status < 200) throw new RangeError('not a final status');
    if (admin && status < 300) noteChange(req, answer);
    const head = headOf(answer, path, rules, challengeRule(admin, req));
    res.writeHead(status, head.headers);
    const taker = recorder === undefined ? res : heldBack(res, recorder.record(status, head.location));
    if (!head.followsBody) {
      running.discard(answer);
      taker.end();
      return;
    }
    streamBody(answer, res, taker, head.length, running, (error) => {
      deps.log.warn({ id: deps.requestId(res), upstream: upstream.name, error }, 'upstream broke off its response');
    });
  }

  /** @param recorder of a write through an admin prefix; the response waits until the write is recorded */
  function forward(
    req: Request,
    res: Response,
    next: (error: unknown) => void,
    key: string | undefined,
    recorder: WriteRecorder | undefined,
  ): void {
    const path = basePath + req.url;
    const ended = timed(deps.observe, res);
    const refuse = (error: unknown): void => {
      if (!res.destroyed) next(error);
    };
    const running = new Exchange(connection, req, res, {
      path,
      headers: outgoingHeaders(req, res, key),
      shareKey: deps.shareKey(req, res),
      bodyBegins: () => recorder?.bodyBegins(),
      refuse:
        ended === undefined
          ? refuse
          : (error) => {
              // A refusal of ours, to a caller who waits or is silent, says nothing of the upstream.
              if (error.cause instanceof UpstreamFailure) ended(error.cause.kind);
              refuse(error);
            },
      answer(answer, running) {
        ended?.(classOf(answer.statusCode ?? 0));
        if ((answer.statusCode ?? 0) < 400 || (!admin && isJson(answer)))
          return pass(answer, running, req, res, path, recorder);
        const recorded = recorder?.record(answer.statusCode ?? 0);
        const send = recorded === undefined ? refuse : (error: ApiError) => void recorded.then(() => refuse(error));
        const challenges = challengeRule(admin, req);
        if (admin && isJson(answer)) void translatedError(answer, running, redact, challenges).then(send);
        else {
          running.discard(answer);
          send(replacedError(answer, challenges));
        }
      },
    });
    running.begin();
  }

  /** Tells once how it ended; that its caller left before, if nothing else. */
  function timed(
    observe: ObserveUpstream | undefined,
    res: Response,
  ): ((outcome: UpstreamOutcome) => void) | undefined {
    if (observe === undefined) return undefined;
    const began = performance.now();
    let told = false;
    const tell = (outcome: UpstreamOutcome): void => {
      if (!told) observe(upstream.name, 'proxy', outcome, (performance.now() - began) / 1000);
      told = true;
    };
    res.once('close', () => {
      if (!res.writableFinished) tell('abandoned');
    });
    return tell;
  }

  function noteChange(req: Request, answer: IncomingMessage): void {
    if (!upstream.holdsIdentities || !isUnsafeMethod(req.method) || !/identities|%/i.test(req.url)) return;
    deps.identitiesChanged();
    if (req.method === 'PATCH' && BATCH_PATH.test(req.url))
      noteBatchIds(answer, (ids) => deps.batchWritten(upstream.name, ids));
  }

  const handler: RequestHandler = (req, res, next) => {
    const refused = refusal(req);
    if (refused !== undefined) return next(refused);
    const recorder = admin && isUnsafeMethod(req.method) ? writeRecorder(req, res, deps) : undefined;
    const fail = (cause: unknown): void => next(new ApiError('proxy_error', { cause }));
    deps
      .authorization(upstream.name)
      .then((header) => forward(req, res, next, header, recorder))
      .catch(fail);
  };
  const { operatorAccounts: accounts } = deps;
  return accounts?.stores.includes(upstream.name) ? [keepOwnAccount(accounts, timeoutMs), handler] : [handler];
}
