import type { IdentityPage, IdentityTotal, ListedIdentity } from '../../../shared/identities.ts';
import { membersOf } from '../../../shared/json.ts';
import { ApiError } from '../../http/api-error.ts';
import type { IdentityStore } from '../../upstream/identity-store.ts';
import { questionFailed, UpstreamFailure } from '../../upstream/upstream-failure.ts';
import type { IdentityQuery } from './identity-query.ts';

/** A page of 250 identities with generous traits. */
const PAGE_MAX_BYTES = 16 * 1024 * 1024;
const TOTAL_CACHE_MS = 60_000;

/** The deployment's identity store as the list page needs it: one upstream request for each question. */
export interface IdentityDirectory {
  /**
   * @throws 400 `invalid_page_token` for a cursor that the store refuses, `search_not_supported` where it cannot search by
   * the beginning of an identifier, 502 and 504 when it fails
   */
  list(query: IdentityQuery): Promise<IdentityPage>;
  /** Counted at most once a minute, whoever asks, unless it is forgotten in between. */
  total(): Promise<IdentityTotal>;
  /** Somebody was created or deleted: the next one who asks has it counted again. */
  forgetTotal(): void;
}

/**
 * @param now milliseconds since the epoch
 * @param monotonic milliseconds on a clock that only goes forward
 */
export function identityDirectory(store: IdentityStore, now: () => number, monotonic: () => number): IdentityDirectory {
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
        // Experimental in Kratos: a store that never heard of it ignores it and lists everybody.
        preview_credentials_identifier_similar: prefix,
      };
      try {
        const { items, nextPageToken } = await store.list('/admin/identities', query, { maxBytes: PAGE_MAX_BYTES });
        if (prefix !== undefined && !items.every((identity) => hasIdentifierLike(identity, prefix)))
          throw new ApiError('search_not_supported');
        return {
          identities: items.map(fiveFields),
          next_page_token: nextPageToken ?? null,
          has_more: nextPageToken !== undefined,
        };
      } catch (error) {
        if (pageToken !== undefined && refusesToken(error)) throw new ApiError('invalid_page_token', { cause: error });
        if (prefix !== undefined && refusesQuestion(error))
          throw new ApiError('search_not_supported', { cause: error });
        throw questionFailed(error);
      }
    },

    async total() {
      if (counted !== undefined && counted.until > monotonic()) return counted.answer;
      if (counting === undefined) {
        const mine = count().finally(() => {
          if (counting === mine) counting = undefined;
        });
        counting = mine;
      }
      const mine = counting;
      const answer = await mine;
      // What was forgotten while it was counted is not remembered again.
      if (!forgotten.has(mine)) counted = { answer, until: monotonic() + TOTAL_CACHE_MS };
      return answer;
    },

    forgetTotal() {
      counted = undefined;
      if (counting !== undefined) forgotten.add(counting);
      counting = undefined;
    },
  };
}

/** Kratos says it in several sentences, all of which name the token. */
const refusesToken = (error: unknown): boolean =>
  error instanceof UpstreamFailure && error.answer?.status === 400 && /\btoken\b/i.test(error.answer.text);

const refusesQuestion = (error: unknown): boolean => error instanceof UpstreamFailure && error.answer?.status === 400;

/** Whether one of its identifiers begins so. The store looks for it trimmed and in lower case. */
function hasIdentifierLike(identity: unknown, prefix: string): boolean {
  const beginning = folded(prefix);
  return Object.values(membersOf(membersOf(identity)['credentials'])).some((credential) => {
    const { identifiers } = membersOf(credential);
    return Array.isArray(identifiers) && identifiers.some((one) => folded(String(one)).startsWith(beginning));
  });
}

const folded = (text: string): string => text.trim().toLowerCase();

/** Exactly the five fields of docs/api.md#identities, whatever the store adds. */
function fiveFields(identity: unknown): ListedIdentity {
  const { id, traits, state, created_at, updated_at } = membersOf(identity);
  if (typeof id !== 'string') throw new UpstreamFailure('nonsense');
  return {
    id,
    traits: membersOf(traits),
    state: String(state ?? ''),
    created_at: String(created_at ?? ''),
    updated_at: String(updated_at ?? ''),
  };
}
