import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate } from 'node:zlib';
import { isObject, type JsonObject, membersOf } from '../../../shared/json.ts';
import { ADDRESS_PATTERN, HOST_PATTERNS } from '../../../shared/text.ts';
import { ApiError } from '../../http/errors.ts';
import { readBody } from '../fetch.ts';
import { discardBody, type ProxiedRequest } from './proxied-request.ts';
import type { ChallengeRule } from './response.ts';

const MAX_BYTES = 64 * 1024;
const decoders = {
  gzip: promisify(gunzip),
  'x-gzip': promisify(gunzip),
  deflate: promisify(inflate),
  br: promisify(brotliDecompress),
};

export const isJson = (incoming: IncomingMessage): boolean =>
  /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i.test(incoming.headers['content-type'] ?? '');

/**
 * What the client gets in place of an upstream's error (docs/api.md#errors). Never rejects. Reasons for a 5xx are
 * dropped, since they contain host names and SQL statements.
 */
export async function upstreamError(
  incoming: IncomingMessage,
  request: ProxiedRequest,
  rules: { admin: boolean; redact: (text: string) => string; challenges: ChallengeRule },
): Promise<ApiError> {
  const status = incoming.statusCode ?? 502;
  let body: JsonObject = {};
  if (rules.admin && isJson(incoming)) body = await readJson(incoming, request);
  else discardBody(incoming, request);
  const message = status >= 500 ? 'The upstream service failed.' : rules.redact(reasonIn(body));
  return new ApiError('upstream_error', {
    status,
    headers: errorHeaders(incoming, rules.challenges),
    redirectTo: redirectIn(incoming, body),
    ...(message === '' ? {} : { message }),
  });
}

/** The headers of an upstream's error that tell the client how to continue. */
function errorHeaders(incoming: IncomingMessage, challenges: ChallengeRule): Record<string, string> {
  const { 'retry-after': retryAfter, allow, 'www-authenticate': challenge } = incoming.headers;
  const headers: Record<string, string> = {};
  if (retryAfter !== undefined && /^(?:\d{1,9}|[A-Z][a-z]{2}, [\w :]{15,30})$/.test(retryAfter))
    headers['Retry-After'] = retryAfter;
  if (allow !== undefined && /^[A-Z, -]{0,200}$/.test(allow)) headers.Allow = allow;
  const passing = challenge === undefined ? undefined : challenges(challenge);
  if (passing !== undefined) headers['WWW-Authenticate'] = passing;
  return headers;
}

/** The members of a JSON body; none if it cannot be read. */
async function readJson(incoming: IncomingMessage, request: ProxiedRequest): Promise<JsonObject> {
  request.onTimeout(() => incoming.destroy());
  try {
    const body = await readBody(incoming, MAX_BYTES);
    const coding = incoming.headers['content-encoding']?.trim().toLowerCase() || 'identity';
    const decode = decoders[coding as keyof typeof decoders] as (typeof decoders)['gzip'] | undefined;
    const text = coding === 'identity' ? body : await decode?.(body, { maxOutputLength: MAX_BYTES });
    return membersOf(JSON.parse(String(text)));
  } catch {
    return {};
  } finally {
    request.finished();
  }
}

/** Kratos: `{error: {reason?, message}}`; Hydra: `{error, error_description}`, where `error` may be a sentence. */
function reasonIn({ error, error_description, message }: JsonObject): string {
  const candidates = isObject(error) ? [error.reason, error.message] : [error_description, error, message];
  return String(candidates.find((candidate) => typeof candidate === 'string' && candidate.trim() !== '') ?? '');
}

/** For a used challenge, Hydra responds with 410 and the address at which the browser continues. */
function redirectIn(incoming: IncomingMessage, { redirect_to: address }: JsonObject): string | undefined {
  return incoming.statusCode === 410 && typeof address === 'string' && /^(?:https?:\/\/|\/)[\x21-\x7e]*$/.test(address)
    ? address
    : undefined;
}

const BLANK = '…';

/** Patterns of what upstream messages must not reveal (docs/api.md#errors), in this order: addresses before their parts. */
const PATTERNS: readonly RegExp[] = [
  // URLs with a scheme; credentials of an Authorization header.
  ADDRESS_PATTERN,
  /\b(?:bearer|basic)\s+[\w.~+/=-]+/gi,
  // Email addresses, and anything else joined by an @.
  /(?<![^\s"'<>()[\],;:`=])[^\s"'<>()[\],;:`=]+@[^\s"'<>()[\],;:`=]+/g,
  // UUIDs, with and without hyphens.
  /\b[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}\b/gi,
  // Ory's tokens; others are matched below as long runs with a digit or a change of case, which words do not have.
  /\bory_[a-z]+_[\w.~-]+/g,
  ...HOST_PATTERNS,
  /(?<![\w~+=-])(?=[\w~+=-]*\d)[\w~+=-]{16,}/g,
  /\b(?=\w*[a-z][A-Z])\w{24,}\b/g,
  // Telephone numbers and other long numbers.
  /\+?\d{7,}/g,
];

/** JSON that is quoted from a request. */
const QUOTED_JSON = /^([^{]*)\{.*\}/;
/** A value refused by the identity schema: `"alice" is not valid "username"`. */
const REFUSED_VALUE = /(?:(?<!\\)"(?:[^"\\]|\\.)*|(?<=\\)"[^"\\]*)"(?= is not valid)/g;

/** Enough for schema violations of several fields; longer reasons repeat input of the client. */
const MAX_CHARACTERS = 512;

/** The names of the configured upstreams. */
export const hostsOf = (upstreams: readonly { url: string | undefined }[]): string[] =>
  upstreams.flatMap(({ url }) => (url === undefined ? [] : [new URL(url).hostname]));

/**
 * Redacts the beginning of an upstream's message, in linear time.
 * @param hosts names of the configured upstreams, since they may look like ordinary words
 */
export function redactor(hosts: readonly string[]): (text: string) => string {
  const named = [...new Set(hosts)].filter((host) => /^[\w.-]+$/.test(host));
  const escaped = named.map((host) => host.replaceAll('.', '\\.'));
  const patterns = escaped.length === 0 ? PATTERNS : [...PATTERNS, new RegExp(`\\b(?:${escaped.join('|')})\\b`, 'gi')];
  return (text) => {
    const line = beginningOf(text).replace(REFUSED_VALUE, BLANK).replace(QUOTED_JSON, `$1${BLANK}`);
    return patterns.reduce((rest, pattern) => rest.replace(pattern, BLANK), line).trim();
  };
}

/** As one line, without what the cut may have split: the patterns would not recognise half a word, quotation or JSON. */
function beginningOf(text: string): string {
  const line = text
    .slice(0, MAX_CHARACTERS)
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .trimStart();
  if (text.length <= MAX_CHARACTERS) return line;
  const whole = line.slice(0, line.lastIndexOf(' ') + 1);
  const closed = whole.split('"').length % 2 === 1 ? whole : whole.slice(0, whole.lastIndexOf('"'));
  return closed.indexOf('{') > closed.lastIndexOf('}') ? closed.slice(0, closed.indexOf('{')) : closed;
}
