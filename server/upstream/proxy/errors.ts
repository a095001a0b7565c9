import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate } from 'node:zlib';
import { isObject, type JsonObject, membersOf } from '../../../shared/json.ts';
import { ApiError } from '../../http/errors.ts';
import type { Exchange } from './proxied-request.ts';
import type { ChallengeRule } from './response.ts';

const MAX_BYTES = 64 * 1024;
const decoders = {
  gzip: promisify(gunzip),
  'x-gzip': promisify(gunzip),
  deflate: promisify(inflate),
  br: promisify(brotliDecompress),
};

export const isJson = (answer: IncomingMessage): boolean =>
  /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i.test(answer.headers['content-type'] ?? '');

/**
 * Translates an admin upstream's JSON error to our own shape (docs/api.md#errors): its status and its redacted reason,
 * or the catalogue's text if the body has none. Never rejects.
 */
export async function translatedError(
  answer: IncomingMessage,
  exchange: Exchange,
  redact: (text: string) => string,
  challenges: ChallengeRule,
): Promise<ApiError> {
  exchange.onSilence(() => answer.destroy());
  const text = await readText(answer).catch(() => undefined);
  exchange.finished();
  const body = parsed(text ?? '');
  const reason = reasonIn(body);
  return replacedError(answer, challenges, reason === undefined ? '' : redact(reason), redirectIn(answer, body));
}

/**
 * An upstream's error with its status, and with the catalogue's text if its body must not be passed on (HTML, plain
 * text). Reasons for a 5xx are dropped: they name hosts and SQL statements.
 */
export function replacedError(
  answer: IncomingMessage,
  challenges: ChallengeRule,
  reason = '',
  redirectTo?: string,
): ApiError {
  const status = answer.statusCode ?? 502;
  const message = status >= 500 ? 'The upstream service failed.' : reason;
  return new ApiError('upstream_error', {
    status,
    headers: errorHeaders(answer, challenges),
    redirectTo,
    ...(message === '' ? {} : { message }),
  });
}

/** Only those headers of an upstream's error that tell the client how to continue. */
function errorHeaders(answer: IncomingMessage, challenges: ChallengeRule): Record<string, string> {
  const { 'retry-after': retryAfter, allow, 'www-authenticate': challenge } = answer.headers;
  const headers: Record<string, string> = {};
  if (retryAfter !== undefined && /^(?:\d{1,9}|[A-Z][a-z]{2}, [\w :]{15,30})$/.test(retryAfter))
    headers['Retry-After'] = retryAfter;
  if (allow !== undefined && /^[A-Z, -]{0,200}$/.test(allow)) headers.Allow = allow;
  const passing = challenge === undefined ? undefined : challenges(challenge);
  if (passing !== undefined) headers['WWW-Authenticate'] = passing;
  return headers;
}

async function readText(answer: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_BYTES) return undefined;
    chunks.push(chunk);
  }
  const coding = answer.headers['content-encoding']?.trim().toLowerCase() ?? 'identity';
  const body = Buffer.concat(chunks);
  if (coding === 'identity' || coding === '') return body.toString('utf8');
  const decode = decoders[coding as keyof typeof decoders] as (typeof decoders)['gzip'] | undefined;
  return decode && (await decode(body, { maxOutputLength: MAX_BYTES })).toString('utf8');
}

/** Kratos: `{error: {reason?, message}}`; Hydra: `{error, error_description}`, where `error` may be a sentence. */
function reasonIn({ error, error_description, message }: JsonObject): string | undefined {
  const candidates = isObject(error) ? [error.reason, error.message] : [error_description, error, message];
  return candidates.find((candidate): candidate is string => typeof candidate === 'string' && candidate.trim() !== '');
}

/** For a used challenge, Hydra responds 410 with the address where the browser continues. */
function redirectIn(answer: IncomingMessage, { redirect_to: address }: JsonObject): string | undefined {
  return answer.statusCode === 410 && typeof address === 'string' && /^(?:https?:\/\/|\/)[\x21-\x7e]*$/.test(address)
    ? address
    : undefined;
}

function parsed(text: string): JsonObject {
  try {
    return membersOf(JSON.parse(text));
  } catch {
    return {};
  }
}
