import type { IdentityTotal } from '../../../shared/identities.ts';
import { ApiError } from '../../http/errors.ts';
import { type IdentityIndex, NothingRead } from '../../search-index/index.ts';
import { pageOf } from '../../search-index/people-search.ts';
import { questionFailed, UpstreamFailure } from '../../upstream/failure.ts';
import type { IdentityStore } from '../../upstream/identity-store.ts';
import type { IdentityQuery } from './identity-search.ts';

/** Fits 250 identities with large traits. */
const PAGE_MAX_BYTES = 16 * 1024 * 1024;
const TOTAL_CACHE_MS = 60_000;

/** The deployment's identities as the list page needs them: each call makes one upstream request. */
export interface IdentityDirectory {
  /**
   * @returns the JSON of an `IdentityPage`
   * @throws 400 `invalid_page_token` for a cursor the store refuses, `search_not_supported` if it cannot search by
   * prefix, 502 and 504 if it fails
   */
  list(query: IdentityQuery): Promise<string>;
  /**
   * What the index has, as the list shows it. While that has not read everybody, what the store counts: at most once a
   * minute, unless `forgetTotal` is called.
   */
  total(): Promise<IdentityTotal>;
  /** An identity was created or deleted: the next `total` counts again. */
  forgetTotal(): void;
}

/**
 * @param now milliseconds since the epoch
 * @param monotonic milliseconds on a monotonic clock
 */
export function identityDirectory(
  store: IdentityStore,
  index: Pick<IdentityIndex, 'readRows' | 'total'>,
  now: () => number,
  monotonic: () => number,
): IdentityDirectory {
  let counted: { answer: IdentityTotal; until: number } | undefined;
  let counting: Promise<IdentityTotal> | undefined;
  const forgotten = new WeakSet<Promise<IdentityTotal>>();

  async function count(): Promise<IdentityTotal> {
    try {
      return { total: await store.count(), as_of: new Date(now()).toISOString() };
    } catch (error) {
      throw questionFailed(error);
    }
  }

  return {
    async list({ pageSize, pageToken, credentialsIdentifier, credentialsIdentifierPrefix: prefix }) {
      const query = {
        page_size: pageSize,
        page_token: pageToken,
        credentials_identifier: credentialsIdentifier,
        // Experimental in Kratos: a store that does not know it ignores it and lists everyone.
        preview_credentials_identifier_similar: prefix,
      };
      try {
        const { text, nextPageToken } = await store.text('/admin/identities', query, { maxBytes: PAGE_MAX_BYTES });
        const rows = await index.readRows(text, { prefix });
        if (!rows.every(({ isMatch }) => isMatch)) throw new ApiError('search_not_supported');
        return pageOf(
          rows.map(({ json }) => json),
          { next_page_token: nextPageToken ?? null, has_more: nextPageToken !== undefined },
        );
      } catch (error) {
        if (pageToken !== undefined && refusesToken(error)) throw new ApiError('invalid_page_token', { cause: error });
        if (prefix !== undefined && refusesQuestion(error))
          throw new ApiError('search_not_supported', { cause: error });
        throw questionFailed(error);
      }
    },

    async total() {
      const known = await index.total().catch((error) => {
        if (error instanceof NothingRead) return undefined;
        throw error;
      });
      if (known?.complete) return { total: known.value, as_of: new Date(known.asOf).toISOString() };
      if (counted !== undefined && counted.until > monotonic()) return counted.answer;
      if (counting === undefined) {
        const current = count().finally(() => {
          if (counting === current) counting = undefined;
        });
        counting = current;
      }
      const current = counting;
      const answer = await current;
      // A count that was invalidated while it ran is not cached.
      if (!forgotten.has(current)) counted = { answer, until: monotonic() + TOTAL_CACHE_MS };
      return answer;
    },

    forgetTotal() {
      counted = undefined;
      if (counting !== undefined) forgotten.add(counting);
      counting = undefined;
    },
  };
}

/** Kratos' error texts for this vary, but all of them mention the token. */
const refusesToken = (error: unknown): boolean =>
  error instanceof UpstreamFailure && error.answer?.status === 400 && /\btoken\b/i.test(error.answer.text);

const refusesQuestion = (error: unknown): boolean => error instanceof UpstreamFailure && error.answer?.status === 400;
