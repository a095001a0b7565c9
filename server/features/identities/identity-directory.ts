import type { IdentityPage, IdentityTotal, ListedIdentity } from '../../../shared/identities.ts';
import { ApiError } from '../../http/api-error.ts';
import { UpstreamFailure } from '../../upstream/upstream-failure.ts';
import { type UpstreamAnswer, upstreamFetch } from '../../upstream/upstream-fetch.ts';
import type { IdentityQuery } from './identity-query.ts';

/** A page of 250 identities with generous traits. */
const PAGE_MAX_BYTES = 16 * 1024 * 1024;
const TOTAL_CACHE_MS = 60_000;

/** The deployment's identity store as the list page needs it: one upstream request for each question. */
export interface IdentityDirectory {
  /** @throws 400 `invalid_page_token` for a cursor that the store refuses, 502 and 504 when it fails */
  list(query: IdentityQuery): Promise<IdentityPage>;
  /** Counted at most once a minute, whoever asks. */
  total(): Promise<IdentityTotal>;
}

/**
 * @param url the store's admin address; without one every answer is 502
 * @param authorization the ready `Authorization` value of the store's prefix, or undefined without a key
 * @param now milliseconds since the epoch
 */
export function identityDirectory(options: {
  url: string | undefined;
  authorization: () => string | undefined | Promise<string | undefined>;
  timeoutMs: number;
  now: () => number;
}): IdentityDirectory {
  const { url, authorization, timeoutMs, now } = options;
  let counted: { answer: IdentityTotal; until: number } | undefined;
  let counting: Promise<IdentityTotal> | undefined;

  async function usableKey(): Promise<string | undefined> {
    try {
      return await authorization();
    } catch (cause) {
      throw new ApiError('proxy_error', { cause });
    }
  }

  async function ask(query: URLSearchParams): Promise<UpstreamAnswer> {
    if (url === undefined) throw new ApiError('bad_gateway');
    const key = await usableKey();
    try {
      return await upstreamFetch(`${url}/admin/identities?${query}`, {
        headers: { accept: 'application/json', ...(key === undefined ? {} : { authorization: key }) },
        timeoutMs,
        maxBytes: PAGE_MAX_BYTES,
      });
    } catch (error) {
      const late = error instanceof UpstreamFailure && error.kind === 'timeout';
      throw new ApiError(late ? 'gateway_timeout' : 'bad_gateway', { cause: error });
    }
  }

  async function count(): Promise<IdentityTotal> {
    // Only the older page mode counts, and a page of one makes it the cheapest question (Kratos' X-Total-Count).
    const answer = await ask(new URLSearchParams({ page: '0', per_page: '1' }));
    if (answer.status !== 200) throw new ApiError('bad_gateway');
    const header = String(answer.headers['x-total-count'] ?? '');
    const total = /^\d{1,15}$/.test(header) ? Number(header) : null;
    return { total, as_of: new Date(now()).toISOString() };
  }

  return {
    async list({ pageSize, pageToken, credentialsIdentifier }) {
      const query = new URLSearchParams({ page_size: String(pageSize) });
      if (pageToken !== undefined) query.set('page_token', pageToken);
      if (credentialsIdentifier !== undefined) query.set('credentials_identifier', credentialsIdentifier);
      const answer = await ask(query);
      if (answer.status === 400 && pageToken !== undefined && /\btoken\b/i.test(answer.text))
        throw new ApiError('invalid_page_token');
      if (answer.status !== 200) throw new ApiError('bad_gateway');
      const next = nextPageToken(answer.headers.link);
      // A cursor that leads to itself would send a client round for ever.
      const hasMore = next !== undefined && next !== pageToken;
      return { identities: listed(answer.text), next_page_token: hasMore ? next : null, has_more: hasMore };
    },

    async total() {
      if (counted !== undefined && counted.until > now()) return counted.answer;
      counting ??= count().finally(() => {
        counting = undefined;
      });
      const answer = await counting;
      counted = { answer, until: now() + TOTAL_CACHE_MS };
      return answer;
    },
  };
}

/** The cursor of `rel="next"` (RFC 8288). Only its token counts: the address is the store's own and never followed. */
function nextPageToken(link: string | string[] | undefined): string | undefined {
  const next = /<([^>]*)>\s*;[^,<]*\brel="?next"?/.exec(String(link ?? ''))?.[1];
  if (next === undefined || !URL.canParse(next, 'http://store')) return undefined;
  return new URL(next, 'http://store').searchParams.get('page_token') || undefined;
}

function listed(text: string): ListedIdentity[] {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch (cause) {
    throw new ApiError('bad_gateway', { cause });
  }
  if (!Array.isArray(body)) throw new ApiError('bad_gateway');
  return body.map(fiveFields);
}

/** Exactly the fields of section 2.3, whatever the store adds. */
function fiveFields(identity: unknown): ListedIdentity {
  if (typeof identity !== 'object' || identity === null) throw new ApiError('bad_gateway');
  const { id, traits, state, created_at, updated_at } = identity as Record<string, unknown>;
  if (typeof id !== 'string') throw new ApiError('bad_gateway');
  return {
    id,
    traits: typeof traits === 'object' && traits !== null ? (traits as Record<string, unknown>) : {},
    state: String(state ?? ''),
    created_at: String(created_at ?? ''),
    updated_at: String(updated_at ?? ''),
  };
}
