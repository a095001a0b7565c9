import type { IdentityTotal } from '../../../shared/identities.ts';
import { cachedByKey } from '../../caches.ts';
import { ApiError } from '../../http/errors.ts';
import type { IdentityIndex } from '../../search-index/search-index.ts';
import { pageOf } from '../../search-index/sources.ts';
import { NothingIndexed } from '../../search-index/thread.ts';
import { routeError, UpstreamFailure } from '../../upstream/failure.ts';
import type { IdentityStore } from '../../upstream/identity-store.ts';
import type { IdentityQuery } from './identity-search.ts';

/** Enough for 250 identities with large traits. */
const PAGE_MAX_BYTES = 16 * 1024 * 1024;
const TOTAL_CACHE_MS = 60_000;

export type IdentityDirectory = ReturnType<typeof identityDirectory>;

export function identityDirectory(
  store: IdentityStore,
  index: Pick<IdentityIndex, 'readRows' | 'total'>,
  now: () => number,
  monotonic: () => number,
) {
  const counted = cachedByKey<IdentityTotal>({ max: 1, ms: TOTAL_CACHE_MS, monotonic });
  async function count(): Promise<IdentityTotal> {
    const total = await store.count().catch((error) => Promise.reject(routeError(error)));
    return { total, as_of: new Date(now()).toISOString() };
  }

  return {
    /**
     * Makes one upstream request.
     * @returns the JSON of an `IdentityPage`
     * @throws 400 `invalid_page_token` for a cursor that the store refuses, `search_not_supported` if it cannot search
     * by prefix, 502 and 504 if it fails
     */
    async list({
      pageSize,
      pageToken,
      credentialsIdentifier,
      credentialsIdentifierPrefix: prefix,
    }: IdentityQuery): Promise<string> {
      const query = {
        page_size: pageSize,
        page_token: pageToken,
        credentials_identifier: credentialsIdentifier,
        // This parameter is experimental in Kratos: releases without it ignore it and list everyone.
        preview_credentials_identifier_similar: prefix,
      };
      try {
        const { text, nextPageToken } = await store.text('/admin/identities', query, { maxBytes: PAGE_MAX_BYTES });
        const rows = await index.readRows(text, { prefix });
        if (!rows.every(({ isMatch }) => isMatch)) throw new ApiError('search_not_supported');
        // A page that names itself as the next one would keep clients reading forever.
        const next = nextPageToken === pageToken ? undefined : nextPageToken;
        return pageOf(
          rows.map(({ json }) => json),
          { next_page_token: next ?? null, has_more: next !== undefined },
        );
      } catch (error) {
        if (pageToken !== undefined && refusesToken(error)) throw new ApiError('invalid_page_token', { cause: error });
        if (prefix !== undefined && refusesQuery(error)) throw new ApiError('search_not_supported', { cause: error });
        throw routeError(error);
      }
    },

    /** The size of the index if it is complete, otherwise the store's count, which is read at most once a minute. */
    async total(): Promise<IdentityTotal> {
      const indexed = await index.total().catch((error) => {
        if (error instanceof NothingIndexed) return undefined;
        throw error;
      });
      if (indexed?.complete) return { total: indexed.value, as_of: new Date(indexed.asOf).toISOString() };
      return counted.get('all', count);
    },

    /** Called after an identity was created or deleted, so that the next `total` counts again. */
    forgetTotal: counted.clear,
  };
}

/** Kratos' error texts for this vary, but all of them mention the token. */
const refusesToken = (error: unknown): boolean =>
  error instanceof UpstreamFailure && error.response?.status === 400 && /\btoken\b/i.test(error.response.text);

const refusesQuery = (error: unknown): boolean => error instanceof UpstreamFailure && error.response?.status === 400;
