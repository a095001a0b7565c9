import { fits } from '../../../shared/fits.ts';
import { fold } from '../../../shared/fold.ts';
import type {
  FoundIdentity,
  IdentityCount,
  IdentitySearchIds,
  IdentitySearchPage,
} from '../../../shared/identity-search.ts';
import { SEARCH_IDS_MAX } from '../../../shared/identity-search.ts';
import { membersOf, text } from '../../../shared/json.ts';
import { personEntry } from '../../../shared/person-entry.ts';
import { ApiError } from '../../http/api-error.ts';
import type { IdentityIndex } from '../../identity-index/identity-index.ts';
import { searchFailed } from '../../identity-index/index-failure.ts';
import { tokenOf } from '../../identity-index/page-token.ts';
import { IDS_A_CALL } from '../../identity-index/rereading.ts';
import type { IdentityStore } from '../../upstream/identity-store.ts';
import { questionFailed } from '../../upstream/upstream-failure.ts';
import { listedIdentity } from './listed-identity.ts';
import type { SearchQuery } from './search-query.ts';

/** Searches the index of identities; every row that is shown is the store's own of this moment. */
export interface IdentitySearch {
  /** Resolves when it can answer. @throws 400 `search_not_supported` while nothing is known */
  ready(): Promise<void>;
  /** @throws 400 `search_not_supported` while nothing is known, 502 and 504 if the store fails, 504 if it takes too long */
  page(query: SearchQuery): Promise<IdentitySearchPage>;
  ids(query: SearchQuery): Promise<IdentitySearchIds>;
  count(query: SearchQuery): Promise<IdentityCount>;
}

/** Kratos limits a question by ids to a page, too. */
const IDS_PAGE = 500;
const CALLS_AT_ONCE = 3;
/** Fits 100 identities with large traits. */
const PAGE_MAX_BYTES = 16 * 1024 * 1024;

export function identitySearch(index: IdentityIndex, store: IdentityStore): IdentitySearch {
  async function listed(query: Record<string, string | number | readonly string[]>): Promise<readonly unknown[]> {
    try {
      return (await store.list('/admin/identities', query, { maxBytes: PAGE_MAX_BYTES })).items;
    } catch (error) {
      throw questionFailed(error);
    }
  }

  /** @returns those that the store still has, by id */
  async function stored(ids: readonly string[]): Promise<Map<string, unknown>> {
    const parts = Array.from({ length: Math.ceil(ids.length / IDS_A_CALL) }, (_, part) =>
      ids.slice(part * IDS_A_CALL, (part + 1) * IDS_A_CALL),
    );
    const found = new Map<string, unknown>();
    for (let from = 0; from < parts.length; from += CALLS_AT_ONCE) {
      const asked = parts.slice(from, from + CALLS_AT_ONCE).map((part) => listed({ ids: part, page_size: IDS_PAGE }));
      for (const items of await Promise.all(asked))
        for (const item of items) found.set(text(membersOf(item)['id']).toLowerCase(), item);
    }
    return found;
  }

  /** Whoever has exactly this identifier, as the store knows now: they may have registered a moment ago. */
  async function exact({ asked, after }: SearchQuery): Promise<unknown> {
    if (asked.text === undefined || after !== undefined) return undefined;
    const [found] = await listed({ credentials_identifier: asked.text, page_size: 1 });
    return found;
  }

  return {
    ready: () => index.ready().catch(failed),
    async page(query) {
      const { asked, order, size, after } = query;
      const [found, first] = await Promise.all([index.search(asked, order, size, after).catch(failed), exact(query)]);
      const question = { ...asked, text: asked.text === undefined ? undefined : fold(asked.text) };
      const firstEntry = personEntry(first);
      const leading = firstEntry !== undefined && fits({ ...firstEntry, texts: [question.text ?? ''] }, question);
      const firstId = after === undefined ? (leading ? firstEntry.id : undefined) : after.first;
      const people = found.people.filter(({ id }) => id !== firstId);
      const current = await stored(people.map(({ id }) => id));
      const gone = people.filter(({ id }) => !current.has(id)).map(({ id }) => id);
      if (gone.length > 0) index.removed('people', gone);

      const rowOf = (identity: unknown, lastSession: number): FoundIdentity => {
        const entry = personEntry(identity);
        return {
          ...listedIdentity(identity),
          schema_id: text(membersOf(identity)['schema_id']),
          last_session_at: lastSession === 0 ? null : new Date(lastSession).toISOString(),
          ...((entry === undefined || !fits(entry, question)) && { changed: true }),
        };
      };
      const rows = people.filter(({ id }) => current.has(id)).map((one) => rowOf(current.get(one.id), one.lastSession));
      if (leading && after === undefined) {
        const { changed: _, ...row } = rowOf(first, found.people.find(({ id }) => id === firstId)?.lastSession ?? 0);
        rows.unshift(row);
      }
      const { next, total } = found;
      return {
        identities: rows,
        next_page_token: next === undefined ? null : tokenOf({ ...next, first: firstId }),
        has_more: next !== undefined,
        total: total === null ? null : Math.max(total - gone.length, rows.length),
        index: found.index,
      };
    },
    async ids({ asked }) {
      const found = await index.ids(asked, SEARCH_IDS_MAX + 1).catch(failed);
      if (found.ids.length > SEARCH_IDS_MAX)
        throw new ApiError('bad_request', {
          message: `More than ${SEARCH_IDS_MAX.toLocaleString('en')} identities match. Narrow the question.`,
        });
      return found;
    },
    async count({ asked }) {
      const { count, index: state } = await index.count(asked).catch(failed);
      return { count, as_of: state.as_of };
    },
  };
}

function failed(error: unknown): never {
  throw searchFailed(error);
}
