import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isStale, upstreamAgent } from './agent.ts';
import { classOf, failureOf, UpstreamFailure, type UpstreamOutcome } from './failure.ts';

export type BodyBudget = ReturnType<typeof bodyBudget>;

/** Limits the memory of all bodies that are being buffered. @param bytes the limit of all of them together */
export function bodyBudget(bytes: number) {
  let reserved = 0;
  return {
    /** @returns false if these bytes do not fit */
    reserve(more: number): boolean {
      if (reserved + more > bytes) return false;
      reserved += more;
      return true;
    },
    release(less: number): void {
      reserved -= less;
    },
  };
}

/** Called when a request has ended. @param seconds to the end of the response */
export type ObserveRequest = (outcome: UpstreamOutcome, seconds: number) => void;

export interface UpstreamRequest {
  method?: 'GET' | 'POST' | 'PUT';
  headers?: Record<string, string>;
  /** Sent with a `Content-Length` computed by Node; the caller sets the `Content-Type`. */
  body?: string;
  /** The time limit from the call to the last byte of the response. */
  timeoutMs: number;
  /** Ends the request and closes its connection: a failure of kind `broken`, counted as `abandoned`. */
  signal?: AbortSignal | undefined;
  /** A longer body is a failure of kind `broken`. */
  maxBytes?: number | undefined;
  /** Counts the bytes of the body beyond the first 64 KiB; exceeding it is a failure of kind `no_room`. */
  budget?: BodyBudget | undefined;
  observe?: ObserveRequest | undefined;
}

const MAX_BYTES = 1024 * 1024;
/** Enough for responses to sign-ins and checks, which therefore need no budget. */
const UNBUDGETED_BYTES = 64 * 1024;

const CONNECTIONS = 128;
const agents = { 'http:': upstreamAgent('http:', CONNECTIONS), 'https:': upstreamAgent('https:', CONNECTIONS) };

/**
 * A server-to-server request: follows no redirects, reads at most `maxBytes` (1 MiB) and enforces the time limit. A GET
 * that fails on a stale keep-alive socket is retried once, on a new one.
 * @throws {UpstreamFailure} if no complete response arrived; any status is a response
 */
export async function upstreamFetch(url: string | URL, options: UpstreamRequest) {
  const { maxBytes = MAX_BYTES, budget, observe, signal } = options;
  const target = new URL(url);
  const start = performance.now();
  const end = (outcome: UpstreamOutcome): void => observe?.(outcome, (performance.now() - start) / 1000);
  const deadline = AbortSignal.timeout(options.timeoutMs);
  try {
    const response = await responseTo(target, options, signal ? AbortSignal.any([deadline, signal]) : deadline);
    const body = await readBody(response, maxBytes, budget);
    const status = response.statusCode ?? 0;
    end(classOf(status));
    return { status, headers: response.headers, text: body.toString('utf8'), bytes: body.length };
  } catch (error) {
    const failure = deadline.aborted ? new UpstreamFailure('timeout', { cause: error }) : failureOf(error);
    end(signal?.aborted ? 'abandoned' : failure.kind);
    throw failure;
  }
}

export type UpstreamResponse = Awaited<ReturnType<typeof upstreamFetch>>;

/** Resolves with the head of the response. */
async function responseTo(
  url: URL,
  options: UpstreamRequest,
  signal: AbortSignal,
  isRetry = false,
): Promise<IncomingMessage> {
  const { method = 'GET', headers, body } = options;
  const isSecure = url.protocol === 'https:';
  const request = (isSecure ? httpsRequest : httpRequest)(url, {
    method,
    agent: isRetry ? false : agents[isSecure ? 'https:' : 'http:'],
    headers: { 'accept-encoding': 'identity', ...headers },
    signal,
  });
  // Without a listener, an error after the head would be uncaught; it also fails the response.
  request.on('error', () => {});
  request.end(body);
  try {
    return (await once(request, 'response', { signal }))[0];
  } catch (error) {
    if (isRetry || method !== 'GET' || !isStale(request, error))
      throw signal.aborted ? error : failureOf(error, request);
    return responseTo(url, options, signal, true);
  }
}

/** @throws UpstreamFailure for a body that is too long; the connection is closed */
export async function readBody(response: IncomingMessage, maxBytes: number, budget?: BodyBudget): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  let reserved = 0;
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > maxBytes) throw new UpstreamFailure('broken', { cause: new RangeError('response too large') });
      const more = Math.max(bytes - UNBUDGETED_BYTES, 0) - reserved;
      if (budget?.reserve(more) === false) throw new UpstreamFailure('no_room');
      reserved += more;
      chunks.push(chunk);
    }
    return Buffer.concat(chunks);
  } finally {
    budget?.release(reserved);
  }
}
