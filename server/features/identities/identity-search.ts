import type { PersonQuestion } from '../../../shared/fits.ts';
import type { ListedIdentity } from '../../../shared/identities.ts';
import type {
  FoundIdentity,
  IdentityCount,
  IdentitySearchIds,
  IdentitySearchPage,
} from '../../../shared/identity-search.ts';
import { SEARCH_IDS_MAX } from '../../../shared/identity-search.ts';
import { bareIdentifier, questionWords } from '../../../shared/question-words.ts';
import { ApiError } from '../../http/api-error.ts';
import type { IdentityIndex } from '../../identity-index/identity-index.ts';
import { searchFailed } from '../../identity-index/index-failure.ts';
import { joined, type ListedPerson, pageOf } from '../../identity-index/listed-people.ts';
import { tokenOf } from '../../identity-index/page-token.ts';
import { IDS_A_CALL } from '../../identity-index/rereading.ts';
import type { IdentityStore } from '../../upstream/identity-store.ts';
import { questionFailed } from '../../upstream/upstream-failure.ts';
import type { SearchQuery } from './search-query.ts';

/** Searches the index of identities; every row that is shown is the store's own of this moment. */
export interface IdentitySearch {
  /** Resolves when it can answer. @throws 400 `search_not_supported` while nothing is known */
  ready(): Promise<void>;
  /**
   * @param session whose turn it takes
   * @returns the JSON of an `IdentitySearchPage`
   * @throws 400 `search_not_supported` while nothing is known, 502 and 504 if the store fails, 504 if it takes too long,
   * 503 while too many search
   */
  page(session: string, query: SearchQuery): Promise<string>;
  ids(session: string, query: SearchQuery): Promise<IdentitySearchIds>;
  count(session: string, query: SearchQuery): Promise<IdentityCount>;
}

/** Kratos limits a question by ids to a page, too. */
const IDS_PAGE = 500;
const CALLS_AT_ONCE = 3;
/** Fits 100 identities with large traits. */
const PAGE_MAX_BYTES = 16 * 1024 * 1024;

export function identitySearch(index: IdentityIndex, store: IdentityStore): IdentitySearch {
  async function listed(
    query: Record<string, string | number | readonly string[]>,
    question: PersonQuestion,
  ): Promise<ListedPerson[]> {
    try {
      const { text } = await store.text('/admin/identities', query, { maxBytes: PAGE_MAX_BYTES });
      return await index.readRows(text, { question });
    } catch (error) {
      throw questionFailed(error);
    }
  }

  /** @returns those that the store still has, by id */
  async function stored(ids: readonly string[], question: PersonQuestion): Promise<Map<string, ListedPerson>> {
    const parts = Array.from({ length: Math.ceil(ids.length / IDS_A_CALL) }, (_, part) =>
      ids.slice(part * IDS_A_CALL, (part + 1) * IDS_A_CALL),
    );
    const found = new Map<string, ListedPerson>();
    for (let from = 0; from < parts.length; from += CALLS_AT_ONCE) {
      const asked = parts
        .slice(from, from + CALLS_AT_ONCE)
        .map((part) => listed({ ids: part, page_size: IDS_PAGE }, question));
      for (const rows of await Promise.all(asked)) for (const row of rows) found.set(row.id, row);
    }
    return found;
  }

  /** Whoever has exactly this identifier, as the store knows now: they may have registered a moment ago. */
  async function exact({ asked: { text, ...others }, after }: SearchQuery): Promise<ListedPerson | undefined> {
    if (text === undefined || after !== undefined) return undefined;
    const [found] = await listed({ credentials_identifier: bareIdentifier(text), page_size: 1 }, others);
    return found?.isMatch ? found : undefined;
  }

  return {
    ready: () => index.ready().catch(failed),
    async page(session, query) {
      const { asked, order, size, after } = query;
      if (query.refresh) await index.refresh().catch(failed);
      const [found, first] = await Promise.all([
        index.search(session, asked, order, size, after).catch(failed),
        exact(query),
      ]);
      const { text, ...others } = asked;
      const question = { ...others, words: text === undefined ? undefined : questionWords(text) };
      const firstId = after === undefined ? first?.id : after.first;
      const people = found.people.filter(({ id }) => id !== firstId);
      const current = await stored(
        people.map(({ id }) => id),
        question,
      );
      const gone = people.filter(({ id }) => !current.has(id)).map(({ id }) => id);
      if (gone.length > 0) index.removed('people', gone);

      const rowOf = ({ json, schemaId, isMatch }: ListedPerson, lastSession: number): string =>
        joined(json, {
          schema_id: schemaId,
          last_session_at: lastSession === 0 ? null : new Date(lastSession).toISOString(),
          ...(!isMatch && { changed: true }),
        } satisfies Omit<FoundIdentity, keyof ListedIdentity>);
      const rows = people.flatMap(({ id, lastSession }) => {
        const row = current.get(id);
        return row === undefined ? [] : [rowOf(row, lastSession)];
      });
      if (first !== undefined)
        rows.unshift(rowOf(first, found.people.find(({ id }) => id === firstId)?.lastSession ?? 0));
      const { next, total } = found;
      return pageOf(rows, {
        next_page_token: next === undefined ? null : tokenOf({ ...next, first: firstId }),
        has_more: next !== undefined,
        total: total === null ? null : Math.max(total - gone.length, rows.length),
        index: found.index,
      } satisfies Omit<IdentitySearchPage, 'identities'>);
    },
    async ids(session, { asked }) {
      const found = await index.ids(session, asked, SEARCH_IDS_MAX + 1).catch(failed);
      if (found.ids.length > SEARCH_IDS_MAX)
        throw new ApiError('bad_request', {
          message: `More than ${SEARCH_IDS_MAX.toLocaleString('en')} identities match. Narrow the question.`,
        });
      return found;
    },
    async count(session, { asked }) {
      const { count, index: state } = await index.count(session, asked).catch(failed);
      return { count, as_of: state.as_of };
    },
  };
}

function failed(error: unknown): never {
  throw searchFailed(error);
}
