import { request as httpRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { upstreamAgent } from './agent.ts';
import { classOf, failureOf, UpstreamFailure, type UpstreamOutcome } from './failure.ts';

/** Room for the answers that are read as a whole. */
export interface AnswerRoom {
  /** @returns whether there is room for so many bytes more */
  take(bytes: number): boolean;
  free(bytes: number): void;
}

/** @param bytes of all answers together */
export function answerRoom(bytes: number): AnswerRoom {
  let taken = 0;
  return {
    take(more) {
      if (taken + more > bytes) return false;
      taken += more;
      return true;
    },
    free(less) {
      taken -= less;
    },
  };
}

/** Told how each request ended. @param seconds to the end of the answer */
export type ObserveRequest = (outcome: UpstreamOutcome, seconds: number) => void;

/** `upstreamFetch`, observed; without an observer it is that function itself. */
export function observedFetch(observe: ObserveRequest | undefined): typeof upstreamFetch {
  if (observe === undefined) return upstreamFetch;
  return async (url: string | URL, request: UpstreamRequest): Promise<UpstreamAnswer> => {
    const began = performance.now();
    const since = (): number => (performance.now() - began) / 1000;
    try {
      const answer = await upstreamFetch(url, request);
      observe(classOf(answer.status), since());
      return answer;
    } catch (error) {
      observe(failureOf(error).kind, since());
      throw error;
    }
  };
}

export interface UpstreamRequest {
  method?: 'GET' | 'POST' | 'PUT';
  headers?: Record<string, string>;
  /** Sent with a `Content-Length` computed by Node; the caller sets the `Content-Type`. */
  body?: string;
  /** From the call to the last byte of the response. */
  timeoutMs: number;
  /** A longer body is a failure of kind `broken`. */
  maxBytes?: number;
  /** What its body takes beyond the first 64 KiB; without room it is a failure of kind `no_room`. */
  room?: AnswerRoom | undefined;
}

export interface UpstreamAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
  /** Size of the body. */
  bytes: number;
}

const MAX_BYTES = 1024 * 1024;
/** For the answers to sign-ins and checks there is always room. */
const ALWAYS_BYTES = 64 * 1024;

const CONNECTIONS = 128;
const agents = { 'http:': upstreamAgent('http:', CONNECTIONS), 'https:': upstreamAgent('https:', CONNECTIONS) };

/**
 * A server-to-server request: follows no redirect, reads at most `maxBytes` (1 MiB), keeps to the time limit. A GET
 * that fails on a stale keep-alive socket is retried once, on a new one.
 * @throws {UpstreamFailure} if no complete response arrived; any status is a response
 */
export async function upstreamFetch(url: string | URL, options: UpstreamRequest): Promise<UpstreamAnswer> {
  const deadline = AbortSignal.timeout(options.timeoutMs);
  const target = new URL(url);
  try {
    return await requestOnce(target, options, deadline, false);
  } catch (error) {
    if (!(error instanceof StaleSocket)) throw error;
    return requestOnce(target, options, deadline, true);
  }
}

class StaleSocket extends Error {}

function requestOnce(
  url: URL,
  options: UpstreamRequest,
  deadline: AbortSignal,
  fresh: boolean,
): Promise<UpstreamAnswer> {
  const method = options.method ?? 'GET';
  const secure = url.protocol === 'https:';
  return new Promise((resolve, reject) => {
    const req = (secure ? httpsRequest : httpRequest)(url, {
      method,
      agent: fresh ? false : agents[secure ? 'https:' : 'http:'],
      headers: { 'accept-encoding': 'identity', ...options.headers },
    });
    const expire = (): void => {
      req.destroy(new UpstreamFailure('timeout'));
    };
    if (deadline.aborted) expire();
    deadline.addEventListener('abort', expire, { once: true });
    req.once('close', () => deadline.removeEventListener('abort', expire));
    req.once('response', (res) => {
      read(res, options.maxBytes ?? MAX_BYTES, options.room).then(
        (body) => resolve({ status: res.statusCode ?? 0, headers: res.headers, ...body }),
        (error) => {
          req.destroy();
          reject(deadline.aborted ? new UpstreamFailure('timeout', { cause: error }) : failureOf(error));
        },
      );
    });
    req.once('error', (error) => {
      const stale = req.reusedSocket && !(error instanceof UpstreamFailure) && method === 'GET';
      reject(stale ? new StaleSocket() : failureOf(error));
    });
    req.end(options.body);
  });
}

async function read(
  res: IncomingMessage,
  maxBytes: number,
  room: AnswerRoom | undefined,
): Promise<{ text: string; bytes: number }> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  let taken = 0;
  try {
    for await (const chunk of res as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > maxBytes) throw new UpstreamFailure('broken', { cause: new RangeError('response too large') });
      const more = Math.max(bytes - ALWAYS_BYTES, 0) - taken;
      if (room?.take(more) === false) throw new UpstreamFailure('no_room');
      taken += more;
      chunks.push(chunk);
    }
    return { text: Buffer.concat(chunks).toString('utf8'), bytes };
  } finally {
    room?.free(taken);
  }
}
