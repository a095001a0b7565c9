import type { IncomingMessage } from 'node:http';
import { attempt, isObject } from '../../shared/json.ts';
import { ApiError } from './errors.ts';

const BODY_BYTES = 65_536;

/**
 * Reads a JSON body before it is forwarded, and puts it back; if it is refused, its rest is discarded.
 * @returns an object or a list
 * @throws ApiError 415 for a content coding, 413 beyond 64 KiB, 408 if it does not arrive in time, 400 if it is not JSON
 */
export async function jsonAhead(req: IncomingMessage, timeoutMs: number): Promise<object> {
  if ((req.headers['content-encoding'] ?? 'identity') !== 'identity') {
    req.resume();
    throw new ApiError('unsupported_media_type', { message: 'Content codings are not supported here.' });
  }
  const bytes = await readAhead(req, timeoutMs);
  const body = attempt<unknown>(() => JSON.parse(bytes.toString('utf8')));
  if (isObject(body) || Array.isArray(body)) return body;
  req.resume();
  throw new ApiError('bad_request', { message: 'The request body is not valid JSON.' });
}

/**
 * Reads a body before it is forwarded, and puts it back; if it is refused, its rest is discarded.
 * @throws ApiError 413 beyond 64 KiB, 408 if it does not arrive in time, 400 if the client disconnects
 */
export function readAhead(req: IncomingMessage, timeoutMs: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    // One growing buffer, since a body may arrive byte by byte.
    let body = Buffer.alloc(0);
    let bytes = 0;
    const fail = (error: unknown): void => {
      leave();
      // Otherwise the connection would be stuck.
      req.resume();
      reject(error);
    };
    const read = (): void => {
      for (let chunk: Buffer | null = req.read(); chunk !== null; chunk = req.read()) {
        if (bytes + chunk.length > body.length) body = Buffer.concat([body], 2 * (bytes + chunk.length));
        bytes += chunk.copy(body, bytes);
      }
      if (bytes > BODY_BYTES) fail(new ApiError('payload_too_large'));
      else if (req.complete) end();
    };
    const end = (): void => {
      leave();
      body = body.subarray(0, bytes);
      // This is possible because the stream has not emitted `end` yet: it runs in the turn that read the last byte.
      if (bytes > 0) req.unshift(body);
      resolve(body);
    };
    const closed = (): void => fail(new ApiError('bad_request'));
    const timer = setTimeout(
      () => fail(new ApiError('request_timeout', { headers: { Connection: 'close' } })),
      timeoutMs,
    );
    const leave = (): void => {
      clearTimeout(timer);
      req.off('readable', read).off('end', end).off('close', closed);
    };
    req.on('readable', read).on('end', end).on('close', closed);
  });
}
