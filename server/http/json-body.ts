import { isUtf8 } from 'node:buffer';
import express, { type RequestHandler } from 'express';
import { ApiError } from './api-error.ts';

/** Enough for a value of 64 KiB with every byte escaped. */
const BODY_MAX = '512kb';
const BODY_TIMEOUT_MS = 30_000;
const WITH_BODY = new Set(['POST', 'PUT', 'PATCH']);

/**
 * Parses `application/json` bodies into `req.body`; it stays undefined if there is no body.
 * @throws 400 not JSON or not UTF-8, 408 slower than 30 seconds, 413 over 512 KiB, 415 another media type or a content
 * coding
 */
export function jsonBody(options: { timeoutMs?: number } = {}): RequestHandler {
  const parse = express.json({
    limit: BODY_MAX,
    strict: false,
    inflate: false,
    verify: (_req, _res, body) => {
      if (!isUtf8(body)) throw new TypeError('not UTF-8');
    },
  });
  return (req, res, next) => {
    const empty = req.headers['transfer-encoding'] === undefined && (req.headers['content-length'] ?? '0') === '0';
    if (empty || !WITH_BODY.has(req.method)) {
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
