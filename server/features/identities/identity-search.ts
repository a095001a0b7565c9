import type { Period, PersonQuestion } from '../../../shared/identities.ts';
import {
  CREDENTIALS_IDENTIFIER_MAX_CHARACTERS,
  type FoundIdentity,
  type IdentityCount,
  type IdentitySearchIds,
  type IdentitySearchPage,
  type ListedIdentity,
  SEARCH_IDS_MAX,
  SEARCH_MAX_CHARACTERS,
  SORTS,
} from '../../../shared/identities.ts';
import { bareIdentifier, questionWords } from '../../../shared/text.ts';
import { ApiError, badRequest } from '../../http/errors.ts';
import {
  pageSizeParameter,
  pageTokenParameter,
  textParameter,
  timeParameter,
  wordsParameter,
} from '../../http/parameters.ts';
import type { Asked } from '../../search-index/commands.ts';
import { type Order, type PageStart, placeIn, tokenOf } from '../../search-index/full-text.ts';
import { type IdentityIndex, searchFailed } from '../../search-index/index.ts';
import { joined, type ListedPerson, pageOf } from '../../search-index/people-search.ts';
import { IDS_A_CALL } from '../../search-index/reading.ts';
import { questionFailed } from '../../upstream/failure.ts';
import type { IdentityStore } from '../../upstream/identity-store.ts';

/** A validated query for the identity store. */
export interface IdentityQuery {
  pageSize: number;
  pageToken: string | undefined;
  credentialsIdentifier: string | undefined;
  /** Never set together with `credentialsIdentifier`. */
  credentialsIdentifierPrefix: string | undefined;
}

/**
 * Validates the query of `GET /api/identities` (docs/api.md#identities). An empty token or identifier counts as absent,
 * as it does upstream.
 * @throws 400 `invalid_page_size`, `invalid_page_token`, `invalid_credentials_identifier`, or `bad_request` for both an
 * identifier and a prefix
 */
export function parseIdentityQuery(query: Record<string, unknown>): IdentityQuery {
  const checked = {
    pageSize: pageSizeParameter(query.page_size),
    pageToken: pageTokenParameter(query.page_token),
    credentialsIdentifier: identifier(query, 'credentials_identifier'),
    credentialsIdentifierPrefix: identifier(query, 'credentials_identifier_prefix'),
  };
  if (checked.credentialsIdentifier !== undefined && checked.credentialsIdentifierPrefix !== undefined)
    throw badRequest('credentials_identifier_prefix', 'must not be sent together with credentials_identifier');
  return checked;
}

const identifier = (
  query: Record<string, unknown>,
  name: 'credentials_identifier' | 'credentials_identifier_prefix',
): string | undefined =>
  textParameter(
    query[name],
    CREDENTIALS_IDENTIFIER_MAX_CHARACTERS,
    () =>
      new ApiError('invalid_credentials_identifier', {
        message: `${name} must have at most ${CREDENTIALS_IDENTIFIER_MAX_CHARACTERS} characters and no control characters.`,
      }),
  );

/** A validated question to the index of identities. */
export interface SearchQuery {
  asked: Asked;
  order: Order;
  size: number;
  after: PageStart | undefined;
  /** Reads the newest people first. */
  refresh: boolean;
  /** The question in canonical form, for the audit record; null if nothing is asked. */
  canonical: string | null;
}

/**
 * Validates the query of `GET /api/identities/search` and of the routes below it. An empty parameter counts as absent.
 * @throws 400 that names the parameter, `invalid_page_size` or `invalid_page_token`
 */
export function parseSearchQuery(query: Record<string, unknown>): SearchQuery {
  const given: [name: string, value: string][] = [];
  const text = (name: string, max = 64): string | undefined => {
    const value = textParameter(query[name], max, () =>
      badRequest(name, `must be one string of at most ${max} characters without control characters`),
    );
    if (value !== undefined) given.push([name, value]);
    return value;
  };
  function oneOf<T extends string>(name: string, allowed: readonly T[]): T | undefined {
    const value = text(name);
    const known = allowed.find((item) => item === value);
    if (value !== undefined && known === undefined) throw badRequest(name, `must be one of ${allowed.join(', ')}`);
    return known;
  }
  function period(name: string): Period | undefined {
    const [from, to] = (['from', 'to'] as const).map((end) => {
      const time = timeParameter(`${name}_${end}`, text(`${name}_${end}`));
      return time === undefined ? undefined : Date.parse(time);
    });
    return from === undefined && to === undefined ? undefined : { from, to };
  }

  const words = wordsParameter('q', query['q']);
  if (words !== undefined) given.push(['q', words]);
  const state = oneOf('state', ['active', 'inactive']);
  const schemaId = text('schema_id', SEARCH_MAX_CHARACTERS);
  const verified = oneOf('verified', ['true', 'false']);
  const [created, updated, session] = [period('created'), period('updated'), period('session')];
  const noSession = oneOf('no_session', ['true']);
  if (noSession !== undefined && session?.from !== undefined)
    throw badRequest('no_session', 'must not be sent together with session_from');
  const by = oneOf('sort', SORTS) ?? 'created';
  const descending = (oneOf('order', ['asc', 'desc']) ?? 'desc') === 'desc';
  const canonical = given.length === 0 ? null : new URLSearchParams(given).toString();
  return {
    asked: {
      text: words,
      active: state && state === 'active',
      schemaId,
      verified: verified && verified === 'true',
      created,
      updated,
      lastSession: noSession === undefined ? session : session === undefined ? 'none' : { ...session, orNone: true },
    },
    order: { by, descending },
    refresh: oneOf('refresh', ['true']) === 'true',
    size: pageSizeParameter(query['page_size']),
    after: cursorOf(pageTokenParameter(query['page_token']), by === 'identifier' ? 'string' : 'number'),
    canonical,
  };
}

function cursorOf(token: string | undefined, type: 'string' | 'number'): PageStart | undefined {
  if (token === undefined) return undefined;
  const place = placeIn(token);
  // A token of another order.
  if (typeof place?.value !== type) throw new ApiError('invalid_page_token');
  return place;
}

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
