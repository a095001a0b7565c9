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
import { searchTerms } from '../../../shared/text.ts';
import { type CursorPage, refusedToken } from '../../api/cursor-page.ts';
import { asCursorPage, IDENTITY_PAGES_KEY, searchIdentities, withMarks } from '../../api/identities.ts';
import {
  daysWithoutSession,
  type IdentityFilters,
  identitySearchParams,
  listIdentities,
  parseIdentityFilters,
  plainSearch,
} from '../../api/identity-search.ts';
import { RequestError } from '../../api/request.ts';
import { counted } from '../../lib/format-count.ts';
import { formatDays, formatPeriod, parsePeriod } from '../../lib/period.ts';
import { visibleText } from '../../lib/visible-text.ts';
import { type PagedSearch, type ParamsOf, pagedSearch } from '../../list/cursor-list.ts';

/** Search parameters of the list. */
export interface IdentitiesSearch extends IdentityFilters, PagedSearch {}

/** Parses the parameters of an address; what has no meaning is left out. */
export const parseIdentitiesSearch = (search: Record<string, unknown>): IdentitiesSearch => ({
  ...parseIdentityFilters(search),
  ...pagedSearch(search),
});

/** Whether it finds fewer than all. */
export const hasFilters = (search: IdentitiesSearch): boolean => search.q !== undefined || needsIndex(search);

/** Whether the plain list, which finds login identifiers only, does not do. */
export const needsIndex = (search: IdentitiesSearch): boolean =>
  ([search.state, search.schema, search.verified, search.created, search.updated, search.session] as unknown[]).some(
    (value) => value !== undefined,
  );

/** Whether it depends on sessions, of which the service may not have all. */
export const isBySignIn = ({ session }: IdentitiesSearch): boolean => session !== undefined;

/** The filters in words, each with the name of its parameter. */
export function describeFilters(search: IdentitiesSearch): { name: keyof IdentitiesSearch; label: string }[] {
  const { q, state, schema, verified, created, updated, session } = search;
  const labels = {
    q: q && `“${visibleText(q)}”`,
    state,
    schema: schema && `schema ${visibleText(schema)}`,
    verified: verified && (verified === 'yes' ? 'a verified address' : 'no verified address'),
    created: within('created', created),
    updated: within('updated', updated),
    session: noSessionFor(session) ?? within('last session', session),
  };
  return Object.entries(labels).flatMap(([name, label]) =>
    label === undefined ? [] : [{ name: name as keyof typeof labels, label }],
  );
}

/** “inactive, created in the last 7 days” */
export const inWords = (search: IdentitiesSearch): string =>
  describeFilters(search)
    .map(({ label }) => label)
    .join(', ');

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
 * A search of the list as of now, for acts and files that take everybody who matches.
 * @param now milliseconds since the epoch, from which the last days are counted
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
    words: q === undefined ? undefined : searchTerms(q),
    active: state === undefined ? undefined : state === 'active',
    schemaId: schema_id,
    verified: verified === undefined ? undefined : verified === 'true',
    created: period('created'),
    updated: period('updated'),
  };
  return {
    /** Of `GET /api/identities/search/ids`. */
    params,
    /** The filters: “inactive, created in the last 7 days”; “everything” without any. */
    words: inWords(search) || 'everything',
    /** Whether a stored identity still matches, apart from its sessions. */
    fits(identity: unknown): boolean {
      const person = personEntry(identity);
      return person !== undefined && fits(person, filter);
    },
    /**
     * Whoever has a session from this time on does not match: milliseconds since the epoch, -Infinity for any session;
     * undefined if sessions do not matter.
     */
    noSessionSince: timeIn('session_to') ?? (times.no_session === undefined ? undefined : Number.NEGATIVE_INFINITY),
  };
}

/** A warning if the index is incomplete. */
export const missingFrom = ({ complete, identities }: IndexState): string | undefined =>
  complete
    ? undefined
    : `The index has only ${counted(identities, 'identity', 'identities')} so far: others that match are missing.`;

/** A row of the list; the plain list lacks what only the index has. */
export type IdentityRow = ListedIdentity & Partial<FoundIdentity> & { external_id?: string };
export type FoundPageParams = ParamsOf<IdentitiesSearch>;

/** Marks cursors of the plain list, which mean nothing to the index. */
const PLAIN = 'plain:';

/**
 * A page of those who match, found by the index. Without one, the plain list responds if it can: it finds login
 * identifiers only. Each page is an audit record: no retry, so that one click never counts twice.
 */
export const foundPageQuery = (params: ParamsOf<IdentitiesSearch>) =>
  queryOptions({
    queryKey: [...IDENTITY_PAGES_KEY, 'found', params],
    queryFn: ({ client, queryKey, signal }) =>
      // A refetch looks for new identities.
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
    // The cursor is of an index that is gone.
    if (token !== undefined) throw refusedToken(error);
    if (needsIndex(search)) throw error;
    return plainPage();
  }
}

function asFoundPage(found: IdentitySearchPage | IdentityPage): CursorPage<IdentityRow> {
  const page = asCursorPage<IdentityRow>(found);
  if (!('index' in found)) return page;
  const { complete, identities, as_of } = found.index;
  return { ...page, matches: { total: found.total, complete, read: identities, asOf: as_of } };
}
