import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import { encodeQuery, parseInteger } from './go.ts';
import { ServerPanic } from './http.ts';

/** An invalid page token, with the services' message. */
export class PageTokenError extends Error {}

/** Opaque page tokens that expire after an hour. */
export interface SealedTokens {
  seal(position: string): string;
  /** @throws PageTokenError, or ServerPanic for a token too short to contain anything */
  open(token: string): string;
}

const LIFETIME_MS = 3_600_000;
const IV_BYTES = 12;
const TAG_BYTES = 16;
/** With fewer bytes, the real servers panic: slice bounds out of range. */
const SEALED_MIN_BYTES = 24;

/** @param now milliseconds since the epoch */
export function sealedTokens(secret: string, now: () => number): SealedTokens {
  const key = createHash('sha256').update(secret).digest();
  return {
    seal(position) {
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv('aes-256-gcm', key, iv, { authTagLength: TAG_BYTES });
      const plain = padded(JSON.stringify({ position, expires: now() + LIFETIME_MS }));
      const sealed = Buffer.concat([iv, cipher.update(plain, 'utf8'), cipher.final(), cipher.getAuthTag()]);
      return sealed.toString('base64').replaceAll('+', '-').replaceAll('/', '_');
    },
    open(token) {
      const wrongAt = token.search(/[^A-Za-z0-9_=-]/);
      const badByte = wrongAt >= 0 ? wrongAt : token.length - (token.length % 4);
      if (badByte < token.length)
        throw new PageTokenError(`decode token: illegal base64 data at input byte ${badByte}`);
      const sealed = Buffer.from(token, 'base64url');
      if (sealed.length < SEALED_MIN_BYTES) throw new ServerPanic('slice bounds out of range');
      const { position, expires } = decrypted(key, sealed);
      if (expires <= now()) throw new PageTokenError('page token expired, do not persist page tokens');
      return position;
    },
  };
}

/** Pads with spaces, so that the token's base64 needs no `=`, which would be escaped in a `Link`. */
const padded = (json: string): string =>
  json + ' '.repeat((3 - ((Buffer.byteLength(json) + IV_BYTES + TAG_BYTES) % 3)) % 3);

function decrypted(key: Buffer, sealed: Buffer): { position: string; expires: number } {
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES });
    decipher.setAuthTag(sealed.subarray(-TAG_BYTES));
    const plain = Buffer.concat([decipher.update(sealed.subarray(IV_BYTES, -TAG_BYTES)), decipher.final()]);
    return JSON.parse(plain.toString('utf8')) as { position: string; expires: number };
  } catch {
    // The real servers leave this format verb in their message.
    throw new PageTokenError('decrypt token: %!w(<nil>)');
  }
}

/** How a list uses sealed page tokens. */
export interface SealedList {
  path: string;
  defaultSize: number;
  maxSize: number;
  /** The position before the first row. */
  start: string;
  tokens: SealedTokens;
  /** The service's error for an invalid size or token. */
  refused: (problem: string) => Error;
}

export interface SealedPage<Row> {
  rows: Row[];
  headers: { Link: string };
}

/**
 * Parses `page_size` and `page_token`, and reads one row more than requested to find out whether there is a next page.
 * @param rowsBehind at most `limit` rows after a position
 * @param positionOf the position of a row
 */
export function sealedPage<Row>(
  query: URLSearchParams,
  { path, defaultSize, maxSize, start, tokens, refused }: SealedList,
  rowsBehind: (after: string, limit: number) => Row[],
  positionOf: (row: Row) => string,
): SealedPage<Row> {
  const asked = query.get('page_size') || '0';
  const parsed = parseInteger(asked);
  if ('problem' in parsed) throw refused(parsed.problem);
  const size = parsed.value <= 0 ? defaultSize : Math.min(parsed.value, maxSize);
  const token = query.get('page_token');
  const found = rowsBehind(token ? opened(tokens, token, refused) : start, size + 1);
  const rows = found.slice(0, size);
  const last = found.length > size ? rows.at(-1) : undefined;
  const next = last === undefined ? undefined : tokens.seal(positionOf(last));
  return { rows, headers: { Link: keysetLink(path, query, size, tokens.seal(start), next) } };
}

function opened(tokens: SealedTokens, token: string, refused: SealedList['refused']): string {
  try {
    return tokens.open(token);
  } catch (error) {
    throw error instanceof PageTokenError ? refused(error.message) : error;
  }
}

/**
 * The `Link` header of a keyset-paged list: first, and next if there is one. Other query parameters are kept.
 * @param path the list's path, without query
 * @param next the token of the next page, or undefined on the last
 */
export function keysetLink(
  path: string,
  query: URLSearchParams,
  size: number,
  first: string,
  next: string | undefined,
): string {
  const link = (token: string, relation: string) => {
    const parameters = new URLSearchParams(query);
    parameters.set('page_size', String(size));
    parameters.set('page_token', token);
    return `<${path}?${encodeQuery(parameters)}>; rel="${relation}"`;
  };
  return next === undefined ? link(first, 'first') : `${link(first, 'first')},${link(next, 'next')}`;
}

/** A page requested by number, the old way. */
export interface PageRequest {
  page: number;
  size: number;
}

export interface PageLimits {
  defaultSize: number;
  maxSize: number;
}

/** Parses `page_size` and `page_token`, else `per_page` and `page`; invalid values are ignored, a size below 1 is 1. */
export function pageRequest(query: URLSearchParams, { defaultSize, maxSize }: PageLimits): PageRequest {
  const byToken = query.has('page_size') || query.has('page_token');
  const asked = Number.parseInt(query.get(byToken ? 'page_size' : 'per_page') ?? '', 10);
  const size = Number.isNaN(asked) ? defaultSize : Math.min(Math.max(asked, 1), maxSize);
  const page = byToken ? offsetOf(query.get('page_token') ?? '') / size : Number.parseInt(query.get('page') ?? '', 10);
  return { page: page > 0 ? Math.floor(page) : 0, size };
}

/**
 * `X-Total-Count` and `Link` as the services write them for numbered pages, including their quirks.
 * @param tokens whether links have `page_size` and `page_token` besides the numbers
 */
export function pageHeaders(
  path: string,
  query: URLSearchParams,
  { page, size }: PageRequest,
  total: number,
  tokens: boolean,
): Record<string, string> {
  const link = (relation: string, per: number, number: number) => {
    const parameters = new URLSearchParams(query);
    parameters.set('page', String(number));
    parameters.set('per_page', String(per));
    if (tokens) {
      parameters.set('page_size', String(per));
      parameters.set('page_token', tokenOf(number * per));
    }
    return `<${path}?${encodeQuery(parameters)}>; rel="${relation}"`;
  };
  const last = total === 0 ? -1 : Math.ceil(total / size) - 1;
  const first = link('first', size, 0);
  const [next, previous] = [link('next', size, page + 1), link('prev', size, page - 1)];
  let links: string[];
  if (total === 0) links = [first, next, previous];
  else if (total <= size) links = [link('first', total, 0)];
  else if (page >= last) links = [first, link('prev', size, last - 1)];
  else if (page === 0) links = [next, link('last', size, last)];
  else links = [first, next, previous, link('last', size, last)];
  return { 'X-Total-Count': String(total), Link: links.join(',') };
}

const tokenOf = (offset: number): string =>
  Buffer.from(JSON.stringify({ offset: String(offset), v: 2 })).toString('base64url');

function offsetOf(token: string): number {
  try {
    return Number((JSON.parse(Buffer.from(token, 'base64url').toString()) as { offset?: string }).offset);
  } catch {
    return 0;
  }
}
