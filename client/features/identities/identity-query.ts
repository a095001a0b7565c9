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
  type IdentityFilters,
  identitySearchParams,
  listIdentities,
  noneKnownFor,
  parseIdentityFilters,
  plainSearch,
} from '../../api/identity-search.ts';
import { RequestError } from '../../api/request.ts';
import { counted } from '../../lib/format-count.ts';
import { formatDays, formatPeriod, parsePeriod } from '../../lib/period.ts';
import { visibleText } from '../../lib/visible-text.ts';
import { type PagedSearch, type ParamsOf, pagedSearch } from '../../list/cursor-list.ts';

/** What narrows a search, in words, each with the name of its parameter; without order and page. */
export function describeFilters(search: IdentitiesSearch): { name: keyof IdentitiesSearch; label: string }[] {
  const { q, state, schema, verified, created, updated, session } = search;
  const labels = {
    q: q && `“${visibleText(q)}”`,
    state,
    schema: schema && `schema ${visibleText(schema)}`,
    verified: verified && (verified === 'yes' ? 'a verified address' : 'no verified address'),
    created: within('created', created),
    updated: within('updated', updated),
    session: formatNone(session) ?? within('last session', session),
  };
  return Object.entries(labels).flatMap(([name, label]) =>
    label === undefined ? [] : [{ name: name as keyof typeof labels, label }],
  );
}

function within(what: string, text: string | undefined): string | undefined {
  const period = parsePeriod(text);
  return period && `${what} ${formatPeriod(period)}`;
}

function formatNone(session: string | undefined): string | undefined {
  const days = noneKnownFor(session);
  if (days === undefined) return undefined;
  return days === 'ever' ? 'no session known' : `no session known for ${formatDays(days)}`;
}

/** Search parameters of the list. */
export interface IdentitiesSearch extends IdentityFilters, PagedSearch {}

/** Parses the parameters of an address; what has no meaning is left out. */
export const parseIdentitiesSearch = (search: Record<string, unknown>): IdentitiesSearch => ({
  ...parseIdentityFilters(search),
  ...pagedSearch(search),
});

/** Whether it asks for fewer than all. */
export const hasFilters = (search: IdentitiesSearch): boolean => search.q !== undefined || needsIndex(search);

/** Whether the plain list, which knows login identifiers only, cannot answer. */
export const needsIndex = (search: IdentitiesSearch): boolean =>
  ([search.state, search.schema, search.verified, search.created, search.updated, search.session] as unknown[]).some(
    (value) => value !== undefined,
  );

/** Whether who is found depends on sessions, of which the service need not know all. */
export const isBySignIn = ({ session }: IdentitiesSearch): boolean => session !== undefined;

/** A search of the list at a moment, for acts and files that take all who match. */
export interface SearchSnapshot {
  /** What it asks of `GET /api/identities/search/ids`. */
  params: URLSearchParams;
  /** The filters: “inactive, created in the last 7 days”; “everything” without any. */
  words: string;
  /** Whether an identity, as the store has it now, fits as far as its record says: not by its sessions. */
  fits: (identity: unknown) => boolean;
  /**
   * Somebody who has a session from this time on does not fit: milliseconds since the epoch, -Infinity for any session;
   * undefined if no session speaks against it.
   */
  noSessionSince: number | undefined;
}

/** @param now milliseconds since the epoch, from which the last days are counted */
export function snapshotSearch(search: IdentitiesSearch, now: number): SearchSnapshot {
  const params = identitySearchParams(search, now);
  for (const name of ['sort', 'order']) params.delete(name);
  const { q, state, schema_id, verified, ...times } = Object.fromEntries(params) as Record<string, string | undefined>;
  const timeIn = (name: string): number | undefined => {
    const time = times[name];
    return time === undefined ? undefined : Date.parse(time);
  };
  const period = (name: string): Period => ({ from: timeIn(`${name}_from`), to: timeIn(`${name}_to`) });
  const question = {
    words: q === undefined ? undefined : searchTerms(q),
    active: state === undefined ? undefined : state === 'active',
    schemaId: schema_id,
    verified: verified === undefined ? undefined : verified === 'true',
    created: period('created'),
    updated: period('updated'),
  };
  return {
    params,
    words:
      describeFilters(search)
        .map(({ label }) => label)
        .join(', ') || 'everything',
    fits(identity) {
      const person = personEntry(identity);
      return person !== undefined && fits(person, question);
    },
    noSessionSince: timeIn('session_to') ?? (times.no_session === undefined ? undefined : Number.NEGATIVE_INFINITY),
  };
}

/** A warning if an index does not hold everybody. */
export const missingFrom = ({ complete, identities }: IndexState): string | undefined =>
  complete
    ? undefined
    : `Only ${counted(identities, 'identity is', 'identities are')} in the index so far: others that match are not among these.`;

/** A row of the list; the plain list does not know what only an index has. */
export type IdentityRow = ListedIdentity & Partial<FoundIdentity>;
export type FoundPageParams = ParamsOf<IdentitiesSearch>;

/** Cursors of the plain list, which mean nothing to the index. */
const PLAIN = 'plain:';

/**
 * A page of those who match, found by the index. Where there is none, the plain list answers, if it can: it knows login
 * identifiers only. Each page is an audit record: no retry, so that one click never counts twice.
 */
export const foundPageQuery = (params: FoundPageParams) =>
  queryOptions({
    queryKey: [...IDENTITY_PAGES_KEY, 'found', params],
    queryFn: async ({ client, queryKey, signal }) => {
      // Reading again what is shown asks for who is new.
      return withMarks(client, foundPage(params, client.getQueryData(queryKey) !== undefined, signal));
    },
    select: asFoundPage,
    retry: false,
  });

async function foundPage(
  { pageSize, token, ...search }: FoundPageParams,
  again: boolean,
  signal: AbortSignal,
): Promise<IdentitySearchPage | IdentityPage> {
  const plain = async (cursor?: string): Promise<IdentityPage> => {
    const page = await listIdentities({ ...plainSearch(search.q), pageSize, token: cursor }, signal);
    return { ...page, next_page_token: page.next_page_token && PLAIN + page.next_page_token };
  };
  if (token?.startsWith(PLAIN)) return plain(token.slice(PLAIN.length));
  const question = identitySearchParams(search, Date.now());
  question.set('page_size', String(pageSize));
  if (token !== undefined) question.set('page_token', token);
  if (again) question.set('refresh', 'true');
  try {
    return await searchIdentities(question, signal);
  } catch (error) {
    if (!(error instanceof RequestError) || error.code !== 'search_not_supported') throw error;
    // Of an index that is gone.
    if (token !== undefined) throw refusedToken(error);
    if (needsIndex(search)) throw error;
    return plain();
  }
}

function asFoundPage(answer: IdentitySearchPage | IdentityPage): CursorPage<IdentityRow> {
  const page = asCursorPage<IdentityRow>(answer);
  if (!('index' in answer)) return page;
  const { complete, identities, as_of } = answer.index;
  return { ...page, matches: { total: answer.total, complete, read: identities, asOf: as_of } };
}
