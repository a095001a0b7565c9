import { SORTS, type Sort } from '../../shared/identities.ts';
import { daysBefore, parsePeriod, timesOf } from '../lib/period.ts';
import { searchText } from '../lib/visible-text.ts';

/**
 * Search parameters that filter and sort the list of identities. A period is `7d` (the last seven days) or
 * `2026-01-01..2026-02-01` (local dates, either of which may be absent).
 */
export interface IdentityFilters {
  /** Part of an identifier, an address or another text. */
  q?: string;
  state?: 'active' | 'inactive';
  schema?: string;
  verified?: 'yes' | 'no';
  created?: string;
  updated?: string;
  /** Last session: a period, `none`, or `none-90d` for no session in the last 90 days. */
  session?: string;
  /** A leading `-` sorts in descending order; absent for newest first. */
  sort?: Sort | `-${Sort}`;
}

const SORTED = SORTS.flatMap((by) => [by, `-${by}`] as const).filter((sort) => sort !== '-created');
const NONE = /^none(?:-([1-9]\d{0,3})d)?$/;

/** Parses search parameters of the URL; invalid values are dropped. */
export function parseIdentityFilters(search: Record<string, unknown>): IdentityFilters {
  return present({
    q: searchText(search.q),
    state: oneOf(['active', 'inactive'], search.state),
    schema: searchText(search.schema),
    verified: oneOf(['yes', 'no'], search.verified),
    created: periodIn(search.created),
    updated: periodIn(search.updated),
    session: daysWithoutSession(search.session) === undefined ? periodIn(search.session) : String(search.session),
    sort: oneOf(SORTED, search.sort),
  });
}

/** The number of days in `none-90d`, 'ever' for `none`, otherwise undefined. */
export function daysWithoutSession(session: unknown): number | 'ever' | undefined {
  const none = typeof session === 'string' ? NONE.exec(session) : null;
  return none === null ? undefined : none[1] === undefined ? 'ever' : Number(none[1]);
}

export const periodIn = (value: unknown): string | undefined =>
  parsePeriod(value) === undefined ? undefined : (value as string);

const oneOf = <T extends string>(allowed: readonly T[], value: unknown): T | undefined =>
  allowed.find((item) => item === value);

type Present<T> = { [Name in keyof T]?: Exclude<T[Name], undefined> };

export const present = <T extends object>(members: T): Present<T> =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Present<T>;

/**
 * Parameters of `GET /api/identities/search` and the routes below it.
 * @param now milliseconds since the epoch: the end of periods such as `7d`
 */
export function identitySearchParams(search: IdentityFilters, now: number): URLSearchParams {
  const { q, state, schema, verified, session, sort } = search;
  const none = daysWithoutSession(session);
  const parameters = {
    // Only a search without an index uses the star, for a prefix. The index matches any part.
    q: q?.replace(/(?<=[^*])\*+$/, '').trim(),
    state,
    schema_id: schema,
    verified: verified && String(verified === 'yes'),
    ...timesIn('created', search.created, now),
    ...timesIn('updated', search.updated, now),
    ...timesIn('session', session, now),
    ...(none !== undefined && { no_session: 'true' }),
    ...(typeof none === 'number' && { session_to: daysBefore(now, none) }),
    sort: sort?.replace('-', ''),
    order: sort && (sort.startsWith('-') ? 'desc' : 'asc'),
  };
  return new URLSearchParams(present(parameters) as Record<string, string>);
}

function timesIn(name: string, text: string | undefined, now: number): Record<string, string | undefined> {
  const period = parsePeriod(text);
  if (period === undefined) return {};
  const { from, to } = timesOf(period, now);
  return { [`${name}_from`]: from, [`${name}_to`]: to };
}

export const hasFilters = (search: IdentityFilters): boolean => search.q !== undefined || needsIndex(search);

/** Whether only the index supports this search: the Kratos list searches login identifiers only. */
export function needsIndex(search: IdentityFilters): boolean {
  const { q: _, sort: __, ...filters } = parseIdentityFilters({ ...search });
  return Object.keys(filters).length > 0;
}

/** Whether the search depends on sessions, of which the service may not know all. */
export const isBySignIn = ({ session }: IdentityFilters): boolean => session !== undefined;
