import type { IncomingMessage } from 'node:http';
import type { NextFunction, Request, RequestHandler, Response } from 'express';
import type { UpstreamName } from '../../../shared/upstreams.ts';
import type { Upstream } from '../../config/config.ts';
import { ApiError } from '../../http/errors.ts';
import { requestId } from '../../http/request-log.ts';
import { isUnsafeMethod } from '../../http/response.ts';
import type { Log } from '../../log.ts';
import type { Authorization } from '../credentials.ts';
import { classOf, type ObserveUpstream, UpstreamFailure, type UpstreamOutcome } from '../failure.ts';
import { bufferUntilRecorded, readBatchIds } from './body.ts';
import { hostsOf, isJson, redactor, upstreamError } from './errors.ts';
import type { Clock } from './forwarder.ts';
import { appendHeaders, type HeaderList, headersForUpstream, ownCookies, sampled } from './headers.ts';
import { namedTarget } from './named-target.ts';
import { connectionsTo, discardBody, forwardRequest, type ProxiedRequest } from './proxied-request.ts';
import { isBatch, type NamedTarget, type RecorderDeps, writeRecorder } from './record-write.ts';
import { isRefusedPath, keepOwnAccount, type OperatorAccounts } from './refusals.ts';
import { challengeRule, headOf, ownAddresses, streamBody } from './response.ts';
import type { WriteTurns } from './write-turns.ts';

export interface ProxyDeps extends RecorderDeps {
  /** All upstreams: a response may contain addresses of another one, which are mapped to its prefix. */
  upstreams: readonly Upstream[];
  /** The public origin, sent to the upstreams instead of the host named by the client. */
  baseUrl: string;
  timeoutMs: number;
  log: Log;
  authorization: Authorization;
  /** Keeps operators from locking themselves out; if undefined, this is not checked. */
  operatorAccounts?: OperatorAccounts;
  /** Called just before a write through an admin prefix is forwarded; rejects if the operator may not make it. */
  mayForward?: ((res: Response) => Promise<void> | undefined) | undefined;
  writeTurns: WriteTurns;
  /** Called after a batch of identities was written; undefined if the response does not contain their ids. */
  batchWritten(upstream: UpstreamName, ids: readonly string[] | undefined): void;
  /** Called when identities of a store may have changed. */
  identitiesChanged(): void;
  /** The dashboard's own cookies, which must neither reach an upstream nor be set by one. */
  cookieNames: readonly string[];
  /** The key by which connections are shared fairly: a session, otherwise an address. */
  shareKey(req: Request, res: Response): string;
  /** Sets the sampled flag of traces: a caller could otherwise hide its failures from the sign-in log. */
  sampleTraces?: boolean;
  /** Drives the timeouts; has a default. */
  clock?: Clock;
  /** For each upstream: connections, requests waiting for one, bytes of responses waiting for their record. */
  limits: { connections: number; waiting: number; bufferBytes: number };
  observe?: ObserveUpstream | undefined;
}

/** Proxied pages must not run scripts in our origin. */
const PROXIED_PAGE_CSP = "sandbox allow-forms allow-scripts; frame-ancestors 'none'";

/**
 * Forwards `/api/<name>/rest?query` to `<upstream>/rest?query`, streaming both ways; errors as in docs/api.md#errors.
 * Mounted after the gate's checks and before any body parser.
 */
export function proxyTo(upstream: Upstream, deps: ProxyDeps): RequestHandler[] {
  const { url, holdsIdentities } = upstream;
  const forward: RequestHandler =
    url === undefined ? (_req, _res, next) => next(new ApiError('bad_gateway')) : forwardTo({ ...upstream, url }, deps);
  const handler: RequestHandler = (req, res, next) =>
    isRefusedPath(upstream, req.url)
      ? next(new ApiError('forbidden', { message: 'Private keys are not served.', hint: null }))
      : forward(req, res, next);
  const { operatorAccounts: accounts, timeoutMs } = deps;
  return accounts !== undefined && holdsIdentities ? [keepOwnAccount(accounts, timeoutMs), handler] : [handler];
}

function forwardTo(upstream: Upstream & { url: string }, deps: ProxyDeps): RequestHandler {
  const { name, admin } = upstream;
  const target = new URL(upstream.url);
  const basePath = target.pathname.replace(/\/$/, '');
  const connections = connectionsTo(target, deps.timeoutMs, deps.limits, deps.clock);
  const base = new URL(deps.baseUrl);
  const cookies = ownCookies(deps.cookieNames);
  const rules = { cookies, addresses: ownAddresses(deps.upstreams, upstream) };
  const untilRecorded = bufferUntilRecorded(deps.limits.bufferBytes);
  const redact = redactor(hostsOf(deps.upstreams));

  /** Strips first and injects last, so that nothing the client sends can remove an injected header. */
  function outgoingHeaders(req: Request, res: Response, key: string | undefined): HeaderList {
    const headers = headersForUpstream(req, (header, value) => {
      if (header === 'cookie') return cookies.strip(value);
      if (header === 'traceparent' && deps.sampleTraces) return sampled(req);
      return header === 'authorization' && (admin || key !== undefined) ? undefined : value;
    });
    const client = deps.clientAddress(req);
    if (client !== undefined) headers.push('X-Forwarded-For', client, 'X-Real-IP', client);
    headers.push('X-Forwarded-Host', base.host, 'X-Forwarded-Proto', base.protocol.slice(0, -1));
    headers.push('X-Request-Id', requestId(res));
    if (key !== undefined) headers.push('Authorization', key);
    return headers;
  }

  /** @returns a function that reports the first outcome; if there is none, that the client has disconnected */
  function observeOutcome(res: Response): (outcome: UpstreamOutcome) => void {
    if (deps.observe === undefined) return () => {};
    const start = performance.now();
    let isObserved = false;
    const observe = (outcome: UpstreamOutcome): void => {
      if (!isObserved) deps.observe?.(name, 'proxy', outcome, (performance.now() - start) / 1000);
      isObserved = true;
    };
    res.once('close', () => {
      if (!res.writableFinished) observe('abandoned');
    });
    return observe;
  }

  function noteChange(req: Request, incoming: IncomingMessage): void {
    if (!upstream.holdsIdentities || !isUnsafeMethod(req.method) || !/identities|%/i.test(req.url)) return;
    deps.identitiesChanged();
    if (isBatch(req)) readBatchIds(incoming, (ids) => deps.batchWritten(name, ids));
  }

  /** @param endTurn called with the head of the response, or when there will be none */
  async function forward(req: Request, res: Response, next: NextFunction, endTurn: () => void): Promise<void> {
    const isRecorded = admin && isUnsafeMethod(req.method);
    const path = basePath + req.url;
    const challenges = challengeRule(admin, req);
    let named: NamedTarget | undefined;
    try {
      if (isRecorded) {
        named = await namedTarget(upstream, deps.ownStore, req, deps.timeoutMs);
        await deps.mayForward?.(res);
      }
    } catch (error) {
      return refuse(error);
    }
    // The response to a write through an admin prefix waits until the write is recorded.
    const recorder = isRecorded ? writeRecorder(req, res, named, deps) : undefined;

    function refuse(error: unknown): void {
      endTurn();
      if (!res.destroyed) next(error);
    }

    function pass(incoming: IncomingMessage, request: ProxiedRequest, status: number): void {
      if (status < 200) throw new RangeError('not a final status');
      if (admin && status < 300) noteChange(req, incoming);
      const head = headOf(incoming, path, rules, challenges);
      // Ours are set already, and the upstream's have other names.
      res.setHeader('Content-Security-Policy', PROXIED_PAGE_CSP);
      appendHeaders(res, head.headers);
      res.writeHead(status);
      const writer = recorder === undefined ? res : untilRecorded(res, recorder.record(status, head.location));
      if (head.followsBody)
        streamBody(incoming, res, writer, head.length, request, (error) => {
          deps.log.warn({ id: requestId(res), upstream: name, error }, 'the upstream broke off its response');
        });
      else {
        discardBody(incoming, request);
        writer.end();
      }
    }

    try {
      const key = await deps.authorization(name);
      const observe = observeOutcome(res);
      forwardRequest(connections, req, res, {
        path,
        headers: outgoingHeaders(req, res, key),
        shareKey: deps.shareKey(req, res),
        onBody: () => recorder?.onBody(),
        onResponse(incoming, request) {
          const status = incoming.statusCode ?? 0;
          endTurn();
          observe(classOf(status));
          if (status < 400 || (!admin && isJson(incoming))) return pass(incoming, request, status);
          const recorded = recorder?.record(status);
          const error = upstreamError(incoming, request, { admin, redact, challenges });
          Promise.all([error, recorded]).then(([replacement]) => refuse(replacement), next);
        },
        onRefused(error) {
          // The upstream did not fail if the client was silent or waited too long for a connection.
          if (error.cause instanceof UpstreamFailure) observe(error.cause.kind);
          refuse(error);
        },
      });
    } catch (cause) {
      refuse(new ApiError('proxy_error', { cause }));
    }
  }

  return (req, res, next) => {
    const onTurn = (end: () => void): void => void forward(req, res, next, end);
    if (upstream.holdsIdentities) deps.writeTurns(req, res, onTurn, next);
    else onTurn(() => {});
  };
}
