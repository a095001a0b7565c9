import { queryOptions } from '@tanstack/react-query';
import {
  type FoundIdentity,
  fits,
  type IdentityPage,
  type IdentitySearchPage,
  type IndexState,
  type ListedIdentity,
  type Period,
  personEntry,
} from '../../../shared/identities.ts';
import { searchesFor } from '../../../shared/text.ts';
import { type CursorPage, refusedToken } from '../../api/cursor-page.ts';
import { asCursorPage, IDENTITY_PAGES_KEY, searchIdentities, withMarks } from '../../api/identities.ts';
import {
  daysWithoutSession,
  type IdentityFilters,
  identitySearchParams,
  listIdentities,
  lookUpNote,
  parseIdentityFilters,
  plainSearch,
} from '../../api/identity-search.ts';
import { RequestError } from '../../api/request.ts';
import { counted } from '../../lib/format-count.ts';
import { formatDays, formatPeriod, parsePeriod } from '../../lib/period.ts';
import { visibleText } from '../../lib/visible-text.ts';
import { type PagedSearch, type ParamsOf, pagedSearch } from '../../list/cursor-list.ts';

export interface IdentitiesSearch extends IdentityFilters, PagedSearch {}

export const parseIdentitiesSearch = (search: Record<string, unknown>): IdentitiesSearch => ({
  ...parseIdentityFilters(search),
  ...pagedSearch(search),
});

export const hasFilters = (search: IdentitiesSearch): boolean => search.q !== undefined || needsIndex(search);

/** Whether only the index supports this search: the Kratos list searches login identifiers only. */
export const needsIndex = (search: IdentitiesSearch): boolean =>
  ([search.state, search.schema, search.verified, search.created, search.updated, search.session] as unknown[]).some(
    (value) => value !== undefined,
  );

/** Whether the search depends on sessions, of which the service may not know all. */
export const isBySignIn = ({ session }: IdentitiesSearch): boolean => session !== undefined;

/** “inactive, created in the last 7 days” */
export function inWords({ q, state, schema, verified, created, updated, session }: IdentitiesSearch): string {
  const labels = [
    q && `“${visibleText(q)}”`,
    state,
    schema && `schema ${visibleText(schema)}`,
    verified && (verified === 'yes' ? 'a verified address' : 'no verified address'),
    within('created', created),
    within('updated', updated),
    noSessionFor(session) ?? within('last session', session),
  ];
  return labels.filter((label) => label !== undefined).join(', ');
}

function within(what: string, text: string | undefined): string | undefined {
  const period = parsePeriod(text);
  return period && `${what} ${formatPeriod(period)}`;
}

function noSessionFor(session: string | undefined): string | undefined {
  const days = daysWithoutSession(session);
  if (days === undefined) return undefined;
  return days === 'ever' ? 'no known session' : `no known session for ${formatDays(days)}`;
}

/**
 * A snapshot of a search, for bulk actions and exports that cover all matches.
 * @param now milliseconds since the epoch, the end of “the last 7 days”
 */
export function snapshotSearch(search: IdentitiesSearch, now: number) {
  const params = identitySearchParams(search, now);
  for (const name of ['sort', 'order']) params.delete(name);
  const { q, state, schema_id, verified, ...times } = Object.fromEntries(params) as Record<string, string | undefined>;
  const timeIn = (name: string): number | undefined => {
    const time = times[name];
    return time === undefined ? undefined : Date.parse(time);
  };
  const period = (name: string): Period => ({ from: timeIn(`${name}_from`), to: timeIn(`${name}_to`) });
  const filter = {
    active: state === undefined ? undefined : state === 'active',
    schemaId: schema_id,
    verified: verified === undefined ? undefined : verified === 'true',
    created: period('created'),
    updated: period('updated'),
  };
  return {
    params,
    /** The filters in words: “inactive, created in the last 7 days”; “everything” without filters. */
    words: inWords(search) || 'everything',
    /** Whether a stored identity still matches. Sessions are not checked. */
    fits(identity: unknown): boolean {
      const person = personEntry(identity);
      return person !== undefined && searchesFor(q).some(({ words }) => fits(person, { ...filter, words }));
    },
    /**
     * Identities with a session at or after this time do not match (milliseconds since the epoch).
     * -Infinity excludes any session; undefined ignores sessions.
     */
    noSessionSince: timeIn('session_to') ?? (times.no_session === undefined ? undefined : Number.NEGATIVE_INFINITY),
  };
}

export const missingFrom = ({ complete, identities }: IndexState): string | undefined =>
  complete
    ? undefined
    : `The index has only ${counted(identities, 'identity', 'identities')}: other matches may be missing.`;

/** A row of the list. Without an index, members that only the index returns are missing. */
export type IdentityRow = ListedIdentity & Partial<FoundIdentity> & { external_id?: string };
export type FoundPageParams = ParamsOf<IdentitiesSearch>;

/** Marks cursors of the Kratos list, which the index does not understand. */
const PLAIN = 'plain:';

/**
 * A page of matches from the index, or else from the Kratos list, which searches login identifiers only. Each page
 * leaves an audit record, so there are no retries: one click must not be recorded twice.
 */
export const foundPageQuery = (params: ParamsOf<IdentitiesSearch>) =>
  queryOptions({
    queryKey: [...IDENTITY_PAGES_KEY, 'found', params],
    queryFn: ({ client, queryKey, signal }) =>
      // A refetch makes the index look for new identities.
      withMarks(client, foundPage(params, client.getQueryData(queryKey) !== undefined, signal)),
    select: asFoundPage,
    retry: false,
  });

async function foundPage(
  { pageSize, token, ...search }: ParamsOf<IdentitiesSearch>,
  refresh: boolean,
  signal: AbortSignal,
): Promise<IdentitySearchPage | IdentityPage> {
  const plainPage = async (cursor?: string): Promise<IdentityPage> => {
    const page = await listIdentities({ ...plainSearch(search.q), pageSize, token: cursor }, signal);
    return { ...page, next_page_token: page.next_page_token && PLAIN + page.next_page_token };
  };
  if (token?.startsWith(PLAIN)) return plainPage(token.slice(PLAIN.length));
  const params = identitySearchParams(search, Date.now());
  params.set('page_size', String(pageSize));
  if (token !== undefined) params.set('page_token', token);
  if (refresh) params.set('refresh', 'true');
  try {
    return await searchIdentities(params, signal);
  } catch (error) {
    if (!(error instanceof RequestError) || error.code !== 'search_not_supported') throw error;
    // The cursor belongs to an index that no longer exists.
    if (token !== undefined) throw refusedToken(error);
    if (needsIndex(search)) throw error;
    return plainPage();
  }
}

function asFoundPage(found: IdentitySearchPage | IdentityPage): CursorPage<IdentityRow> {
  const page = asCursorPage<IdentityRow>(found);
  if (!('index' in found)) return page;
  const { complete, identities, as_of } = found.index;
  return { ...page, matches: { total: found.total, complete, read: identities, asOf: as_of, note: lookUpNote(found) } };
}
