import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import express, { type RequestHandler } from 'express';
import { ApiError, badRequest } from './errors.ts';

/** Enough for a value of 64 KiB with every byte escaped. */
const BODY_MAX_KIB = 512;
/** Our bodies have at most four levels. Deeply nested JSON takes many times longer to parse than flat JSON. */
const DEPTH_MAX = 32;
const BODY_TIMEOUT_MS = 30_000;
const WITH_BODY = new Set(['POST', 'PUT', 'PATCH']);

export const hasNoBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] === undefined && (headers['content-length'] ?? '0') === '0';

/**
 * Parses `application/json` bodies into `req.body`; it stays undefined if there is no body.
 * @param options.maxKib 512 by default
 * @throws 400 not JSON, not UTF-8 or nested more than 32 deep, 408 slower than 30 seconds, 413 too large, 415 another
 * media type, another charset or a content coding
 */
export function jsonBody(options: { timeoutMs?: number; maxKib?: number | undefined } = {}): RequestHandler {
  const parse = express.json({
    limit: (options.maxKib ?? BODY_MAX_KIB) * 1024,
    strict: false,
    inflate: false,
    verify: (_req, _res, body, charset) => {
      // The parser would decode any UTF, but the two checks below read UTF-8.
      if (charset !== 'utf-8') throw Object.assign(new TypeError('another charset'), { type: 'charset.unsupported' });
      if (!isUtf8(body)) throw new TypeError('not UTF-8');
      if (isDeep(body)) throw Object.assign(new TypeError('too deep'), { type: 'entity.too.deep' });
    },
  });
  return (req, res, next) => {
    if (hasNoBody(req) || !WITH_BODY.has(req.method)) {
      next();
      return;
    }
    if (!req.is('application/json')) {
      next(new ApiError('unsupported_media_type'));
      return;
    }
    let settled = false;
    const settle = (error?: unknown): void => {
      if (settled) return;
      settled = true;
      clearTimeout(timer);
      next(error);
    };
    const timer = setTimeout(
      () => settle(new ApiError('request_timeout', { headers: { Connection: 'close' } })),
      options.timeoutMs ?? BODY_TIMEOUT_MS,
    );
    parse(req, res, settle);
  };
}

const [QUOTE, BACKSLASH] = [0x22, 0x5c];
const [OPENING, CLOSING] = [new Set([0x5b, 0x7b]), new Set([0x5d, 0x7d])];

/** Whether JSON is nested more than 32 deep; arbitrary for invalid JSON. */
function isDeep(body: Buffer): boolean {
  let depth = 0;
  let inText = false;
  for (let at = 0; at < body.length; at += 1) {
    const byte = body[at] as number;
    if (byte === QUOTE) inText = !inText;
    else if (inText) at += byte === BACKSLASH ? 1 : 0;
    else if (OPENING.has(byte)) depth += 1;
    else if (CLOSING.has(byte)) depth -= 1;
    if (depth > DEPTH_MAX) return true;
  }
  return false;
}

/**
 * The members of a JSON body, or of an object in it.
 * @param known all allowed names
 * @param what its name in error messages
 * @throws 400 if it is not an object or has another member
 */
export function bodyFields<Name extends string>(
  body: unknown,
  known: readonly Name[],
  what = 'The request body',
): Partial<Record<Name, unknown>> {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) throw badRequest(what, 'must be a JSON object');
  const unknown = Object.keys(body).find((name) => !known.some((other) => other === name));
  if (unknown !== undefined) throw badRequest(quoted(unknown), 'is not a known field');
  return body;
}

/** A name from the request, safe for an error message: half a surrogate pair is escaped. */
const quoted = (name: string): string => JSON.stringify(name.slice(0, 64));

/**
 * A short text such as a key or a label: 1 to `max` characters (Unicode code points), without control characters,
 * surrounding spaces and lone surrogates.
 * @throws 400 that names the field
 */
export function labelField(field: string, value: unknown, max: number): string {
  const text = textField(field, value);
  const characters = [...text].length;
  if (characters < 1 || characters > max) throw badRequest(field, `must have 1 to ${max} characters`);
  if (/\p{Cc}/u.test(text)) throw badRequest(field, 'must not contain control characters');
  if (text.trim() !== text) throw badRequest(field, 'must not begin or end with a space');
  return text;
}

/** Any text that can be stored as UTF-8. @throws 400 that names the field */
export function textField(field: string, value: unknown, maxBytes = Number.POSITIVE_INFINITY): string {
  if (value === undefined) throw badRequest(field, 'is required');
  if (typeof value !== 'string') throw badRequest(field, 'must be a string');
  if (/\p{Surrogate}/u.test(value)) throw badRequest(field, 'must be well-formed Unicode');
  if (Buffer.byteLength(value) > maxBytes) throw badRequest(field, `must have at most ${maxBytes} bytes`);
  return value;
}

/** @throws 400 that names the field */
export function booleanField(field: string, value: unknown): boolean {
  if (typeof value !== 'boolean') throw badRequest(field, 'must be true or false');
  return value;
}
