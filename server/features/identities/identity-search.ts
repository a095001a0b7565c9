import { setTimeout as sleep } from 'node:timers/promises';
import {
  CREDENTIALS_IDENTIFIER_MAX_CHARACTERS,
  type FoundIdentity,
  type IdentityCount,
  type IdentitySearchIds,
  type IdentitySearchPage,
  type IndexState,
  type ListedIdentity,
  SEARCH_IDS_MAX,
  SEARCH_MAX_CHARACTERS,
  SORTS,
} from '../../../shared/identities.ts';
import type { EntryFilter, Period } from '../../../shared/identity-entry.ts';
import { isUuid } from '../../../shared/json.ts';
import { searchesFor, type TextSearch } from '../../../shared/text.ts';
import { mapConcurrently } from '../../caches.ts';
import { ApiError, badRequest } from '../../http/errors.ts';
import {
  choiceParameter,
  namedParameter,
  pageSizeParameter,
  pageTokenParameter,
  textParameter,
  timeParameter,
} from '../../http/parameters.ts';
import { cursorIn, type PageCursor, tokenOf } from '../../search-index/database.ts';
import type { IdentitiesQuery } from '../../search-index/identities.ts';
import { type Fresh, firstFound, type IdentityIndex, searchFailed } from '../../search-index/search-index.ts';
import { type ListedRow, pageOf, withMembers } from '../../search-index/sources.ts';
import { IDS_PER_REQUEST } from '../../search-index/writer.ts';
import { routeError } from '../../upstream/failure.ts';
import type { IdentityStore } from '../../upstream/identity-store.ts';

/**
 * Parses the query of `GET /api/identities` (docs/api.md#identities). An empty token or identifier counts as absent,
 * as it does upstream.
 * @throws 400 `invalid_page_size`, `invalid_page_token`, `invalid_credentials_identifier`, or `bad_request` for both an
 * identifier and a prefix
 */
export function parseIdentityQuery(query: Record<string, unknown>) {
  const checked = {
    pageSize: pageSizeParameter(query.page_size),
    pageToken: pageTokenParameter(query.page_token),
    credentialsIdentifier: identifier(query, 'credentials_identifier'),
    /** Never set together with `credentialsIdentifier`. */
    credentialsIdentifierPrefix: identifier(query, 'credentials_identifier_prefix'),
  };
  if (checked.credentialsIdentifier !== undefined && checked.credentialsIdentifierPrefix !== undefined)
    throw badRequest('credentials_identifier_prefix', 'must not be sent together with credentials_identifier');
  return checked;
}
export type IdentityQuery = ReturnType<typeof parseIdentityQuery>;

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

/**
 * Parses the query of `GET /api/identities/search` and of the routes below it. An empty parameter counts as absent.
 * @throws 400 that names the parameter, `invalid_page_size` or `invalid_page_token`
 */
export function parseSearchQuery(query: Record<string, unknown>) {
  const given: [name: string, value: string][] = [];
  const text = (name: string, max = 64): string | undefined => {
    const value = namedParameter(name, query[name], max);
    if (value !== undefined) given.push([name, value]);
    return value;
  };
  const oneOf = <T extends string>(name: string, allowed: readonly T[]): T | undefined =>
    choiceParameter(name, text(name), allowed);
  function period(name: string): Period | undefined {
    const [from, to] = (['from', 'to'] as const).map((end) => {
      const time = timeParameter(`${name}_${end}`, text(`${name}_${end}`));
      return time === undefined ? undefined : Date.parse(time);
    });
    return from === undefined && to === undefined ? undefined : { from, to };
  }

  const typed = text('q', SEARCH_MAX_CHARACTERS);
  const state = oneOf('state', ['active', 'inactive']);
  const schemaId = text('schema_id', SEARCH_MAX_CHARACTERS);
  const verified = oneOf('verified', ['true', 'false']);
  const [created, updated, session] = [period('created'), period('updated'), period('session')];
  const noSession = oneOf('no_session', ['true']);
  if (noSession !== undefined && session?.from !== undefined)
    throw badRequest('no_session', 'must not be sent together with session_from');
  const by = oneOf('sort', SORTS) ?? 'created';
  const descending = (oneOf('order', ['asc', 'desc']) ?? 'desc') === 'desc';
  const filter: IdentitiesQuery & Record<Exclude<keyof IdentitiesQuery, 'words'>, unknown> = {
    active: state && state === 'active',
    schemaId,
    verified: verified && verified === 'true',
    created,
    updated,
    lastSession: noSession === undefined ? session : session === undefined ? 'none' : { ...session, orNone: true },
  };
  return {
    filter,
    typed,
    order: { by, descending },
    /** Whether to read the newest identities before the search. */
    refresh: oneOf('refresh', ['true']) === 'true',
    size: pageSizeParameter(query['page_size']),
    after: cursorOf(pageTokenParameter(query['page_token']), by === 'identifier' ? 'string' : 'number'),
    /** The search in canonical form, for the audit record; null if it has no parameters. */
    canonical: given.length === 0 ? null : new URLSearchParams(given).toString(),
  };
}

export type SearchQuery = ReturnType<typeof parseSearchQuery>;

function cursorOf(token: string | undefined, type: 'string' | 'number'): PageCursor | undefined {
  if (token === undefined) return undefined;
  const cursor = cursorIn(token);
  // A cursor for another order is refused as well.
  if (typeof cursor?.value !== type) throw new ApiError('invalid_page_token');
  return cursor;
}

/** Kratos limits a query by ids to one page as well. */
const IDS_PAGE = 500;
/** How much longer than the index the exact look-up may take: it can only add one row. */
const EXACT_MS = 300;
const UNFINISHED = 'unfinished' as const;
type ExactMatch = ListedRow | typeof UNFINISHED | undefined;
/** Enough for 100 identities with large traits. */
const PAGE_MAX_BYTES = 16 * 1024 * 1024;

/**
 * Searches the index of identities and reads each match from the store. Sessions take turns; `session` is the id of the
 * session that searches. Methods reject with 400 `search_not_supported` while nothing is indexed, 502 and 504 if the
 * store fails, 504 if the search takes too long, and 503 while too many searches wait.
 */
export function identitySearch(index: IdentityIndex, store: IdentityStore) {
  /** The running look-up of each session that has one. */
  const lookUps = new Map<string, Promise<ExactMatch>>();

  async function listed(
    parameters: Record<string, string | number | readonly string[]>,
    query: EntryFilter,
    signal?: AbortSignal,
  ): Promise<ListedRow[]> {
    try {
      const { text } = await store.text('/admin/identities', parameters, { maxBytes: PAGE_MAX_BYTES, signal });
      return await index.readRows(text, { query });
    } catch (error) {
      throw routeError(error);
    }
  }

  /** @returns the identities that still exist, by id */
  async function stored(ids: readonly string[], query: EntryFilter): Promise<Map<string, ListedRow>> {
    const parts = Array.from({ length: Math.ceil(ids.length / IDS_PER_REQUEST) }, (_, part) =>
      ids.slice(part * IDS_PER_REQUEST, (part + 1) * IDS_PER_REQUEST),
    );
    const rows = await mapConcurrently(parts, (ids) => listed({ ids, page_size: IDS_PAGE }, query));
    return new Map(rows.flat().map((row) => [row.id, row]));
  }

  /**
   * The identity with exactly this identifier or id, read from the store: it may not be in the index yet. Look-ups of a
   * session run one after another. Never rejects.
   */
  async function exact(session: string, filter: EntryFilter, identifier: string | undefined, signal: AbortSignal) {
    if (identifier === undefined) return undefined;
    for (let other = lookUps.get(session); other !== undefined; other = lookUps.get(session)) await other;
    if (signal.aborted) return UNFINISHED;
    const by = { [isUuid(identifier) ? 'ids' : 'credentials_identifier']: identifier };
    const lookUp = listed({ ...by, page_size: 1 }, { ...filter, words: undefined }, signal)
      .then(([found]) => (found?.isMatch ? found : undefined))
      .catch(() => UNFINISHED as ExactMatch)
      .finally(() => lookUps.delete(session));
    lookUps.set(session, lookUp);
    return lookUp;
  }

  /** What the index finds, and the exact match if the store finds it in time. */
  async function search(session: string, query: SearchQuery, { words, identifier }: TextSearch) {
    const { order, size, after } = query;
    const filter = { ...query.filter, words };
    const ending = new AbortController();
    try {
      const looking = after === undefined ? exact(session, filter, identifier, ending.signal) : undefined;
      const found = await index.searchIdentities(session, filter, order, size, after).catch(failed);
      const named = await Promise.race([looking, sleep(EXACT_MS, UNFINISHED, { signal: ending.signal })]);
      const match = named === UNFINISHED ? undefined : named;
      // Only the index knows who has which sessions.
      const isListed = filter.lastSession === undefined || found.value.identities.some(({ id }) => id === match?.id);
      const first = isListed ? match : undefined;
      return { filter, found, named, first, value: first === undefined ? found.value : 1 };
    } finally {
      ending.abort();
    }
  }

  return {
    /** Resolves when identities can be searched. */
    ready: (): Promise<void> => index.ready().catch(failed),
    /** @returns the JSON of an `IdentitySearchPage` */
    async page(session: string, query: SearchQuery): Promise<string> {
      const { typed, after } = query;
      if (query.refresh) await index.refresh().catch(failed);
      const texts = searchesFor(typed);
      const { filter, found, named, first } = await firstFound(texts, (text) => search(session, query, text));
      const { next, total, identities: all } = found.value;
      const firstId = after === undefined ? first?.id : after.first;
      const others = all.filter(({ id }) => id !== firstId);
      const current = await stored(
        others.map(({ id }) => id),
        filter,
      );
      const gone = others.filter(({ id }) => !current.has(id)).map(({ id }) => id);
      if (gone.length > 0) index.removed('identities', gone);

      const rowOf = ({ json, schemaId, isMatch }: ListedRow, lastSession: number): string =>
        withMembers(json, {
          schema_id: schemaId,
          last_session_at: lastSession === 0 ? null : new Date(lastSession).toISOString(),
          ...(!isMatch && { changed: true }),
        } satisfies Omit<FoundIdentity, keyof ListedIdentity>);
      const rows = others.flatMap(({ id, lastSession }) => {
        const row = current.get(id);
        return row === undefined ? [] : [rowOf(row, lastSession)];
      });
      if (first !== undefined) rows.unshift(rowOf(first, all.find(({ id }) => id === firstId)?.lastSession ?? 0));
      return pageOf(rows, {
        next_page_token: next === undefined ? null : tokenOf({ ...next, first: firstId }),
        has_more: next !== undefined,
        total: total === null ? null : Math.max(total - gone.length, rows.length),
        index: indexState(found),
        ...(named === UNFINISHED && { exact: named }),
      } satisfies Omit<IdentitySearchPage, 'identities'>);
    },
    async ids(session: string, { filter, typed }: SearchQuery): Promise<IdentitySearchIds> {
      const found = await firstFound(searchesFor(typed), ({ words }) =>
        index.identityIds(session, { ...filter, words }, SEARCH_IDS_MAX + 1),
      ).catch(failed);
      if (found.value.length > SEARCH_IDS_MAX)
        throw new ApiError('bad_request', {
          message: `More than ${SEARCH_IDS_MAX.toLocaleString('en')} identities match. Narrow the search.`,
        });
      return { ids: found.value, index: indexState(found) };
    },
    async count(session: string, { filter, typed }: SearchQuery): Promise<IdentityCount> {
      const { value, asOf } = await firstFound(searchesFor(typed), ({ words }) =>
        index.countIdentities(session, { ...filter, words }),
      ).catch(failed);
      return { count: value, as_of: new Date(asOf).toISOString() };
    },
  };
}

const indexState = ({ complete, size, asOf }: Fresh<unknown> & { size: number }): IndexState => ({
  complete,
  identities: size,
  as_of: new Date(asOf).toISOString(),
});

function failed(error: unknown): never {
  throw searchFailed(error, 'identities');
}
