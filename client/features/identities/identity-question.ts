import { SEARCH_MAX_CHARACTERS, SORTS, type Sort } from '../../../shared/identity-search.ts';
import { exactly } from '../../format/english-time.ts';
import { visibleText } from '../../format/visible-text.ts';
import { type PagedSearch, pagedSearch } from '../../resource/list/page-step.ts';

/**
 * Search parameters of the list. A period is `7d`, the last seven days, or `2026-01-01..2026-02-01`, local days of
 * which either may be missing.
 */
export interface IdentitiesSearch extends PagedSearch {
  /** Any part of an identifier, an address or another text. */
  q?: string;
  state?: 'active' | 'inactive';
  /** A schema's id. */
  schema?: string;
  /** Whether an address is verified. */
  verified?: 'yes' | 'no';
  /** Periods. */
  created?: string;
  updated?: string;
  /** Of the last session that is known: a period, `none`, or `none-90d` for none within the last 90 days. */
  session?: string;
  /** With `-` in front descending; absent for the newest first. */
  sort?: Sort | `-${Sort}`;
}

const SORTED = SORTS.flatMap((by) => [by, `-${by}`] as const);
const DEFAULT_SORT = '-created';
const LAST_DAYS = /^([1-9]\d{0,3})d$/;
const NONE = /^none(?:-([1-9]\d{0,3})d)?$/;
/** The dates as a browser's date field writes them. */
const DAYS = /^([12]\d{3}-\d\d-\d\d)?\.\.([12]\d{3}-\d\d-\d\d)?$/;
const DAY_MS = 86_400_000;

/** Parses the parameters of an address; what has no meaning is left out. */
export function parseIdentitiesSearch(search: Record<string, unknown>): IdentitiesSearch {
  const { created, updated, session } = search;
  return present({
    q: textIn(search.q),
    state: oneOf(['active', 'inactive'], search.state),
    schema: textIn(search.schema),
    verified: oneOf(['yes', 'no'], search.verified),
    created: isPeriod(created) ? created : undefined,
    updated: isPeriod(updated) ? updated : undefined,
    session: isPeriod(session) || (typeof session === 'string' && NONE.test(session)) ? session : undefined,
    sort: oneOf(
      SORTED.filter((sort) => sort !== DEFAULT_SORT),
      search.sort,
    ),
    ...pagedSearch(search),
  });
}

/**
 * What the search asks of `GET /api/identities/search` and the routes below it.
 * @param now milliseconds since the epoch, from which the last days are counted
 */
export function identityQuestion(search: IdentitiesSearch, now: number): URLSearchParams {
  const { q, state, schema, verified, session = '', sort } = search;
  const none = NONE.exec(session);
  const asked = {
    // Any part is found anyway; without the index, a star asks for beginnings.
    q: q?.replace(/(?<=[^*])\*+$/, '').trim(),
    state,
    schema_id: schema,
    verified: verified && String(verified === 'yes'),
    ...periodOf('created', search.created, now),
    ...periodOf('updated', search.updated, now),
    ...(none === null
      ? periodOf('session', session, now)
      : { no_session: 'true', session_to: none[1] && daysBefore(now, none[1]) }),
    sort: sort?.replace('-', ''),
    order: sort && (sort.startsWith('-') ? 'desc' : 'asc'),
  };
  return new URLSearchParams(present(asked) as Record<string, string>);
}

/** Whether it asks for fewer than all. */
export const hasFilters = (search: IdentitiesSearch): boolean => describeFilters(search).length > 0;

/** Whether who is found depends on sessions, of which the service need not know all. */
export const isBySignIn = ({ session }: IdentitiesSearch): boolean => session !== undefined;

/** What narrows the search, in words, each with the name of its parameter; without order and page. */
export function describeFilters(search: IdentitiesSearch): { name: keyof IdentitiesSearch; label: string }[] {
  const { q, state, schema, verified, created, updated, session } = search;
  const labels = {
    q: q && `“${visibleText(q)}”`,
    state,
    schema: schema && `schema ${visibleText(schema)}`,
    verified: verified && (verified === 'yes' ? 'a verified address' : 'no verified address'),
    created: created && `created ${formatPeriod(created)}`,
    updated: updated && `updated ${formatPeriod(updated)}`,
    session: session && formatSession(session),
  };
  return Object.entries(present(labels)).map(([name, label]) => ({ name: name as keyof typeof labels, label }));
}

function formatSession(session: string): string {
  const none = NONE.exec(session);
  if (none === null) return `last session ${formatPeriod(session)}`;
  return none[1] === undefined ? 'no session known' : `no session known for ${formatDays(none[1])}`;
}

function formatPeriod(period: string): string {
  const days = LAST_DAYS.exec(period)?.[1];
  if (days !== undefined) return `in the last ${formatDays(days)}`;
  const [from, to] = DAYS.exec(period)?.slice(1).map(formatDay) ?? [];
  if (to === undefined) return `since ${from}`;
  if (from === undefined) return `until ${to}`;
  return from === to ? `on ${from}` : `from ${from} to ${to}`;
}

const formatDays = (days: string): string => (days === '1' ? 'day' : `${days} days`);
const formatDay = (day: string | undefined): string | undefined =>
  day && exactly(startOf(day) as Date).replace(/,.*/, '');

function isPeriod(value: unknown): value is string {
  if (typeof value !== 'string') return false;
  if (LAST_DAYS.test(value)) return true;
  const [from, to] = DAYS.exec(value)?.slice(1) ?? [];
  if (from === undefined && to === undefined) return false;
  const known = [from, to].every((day) => day === undefined || startOf(day) !== undefined);
  return known && (from === undefined || to === undefined || from <= to);
}

/** The parameters `…_from` and `…_to`; the end is exclusive. */
function periodOf(name: string, period: string | undefined, now: number): Record<string, string | undefined> {
  if (!period) return {};
  const days = LAST_DAYS.exec(period)?.[1];
  if (days !== undefined) return { [`${name}_from`]: daysBefore(now, days) };
  const [from, to] = DAYS.exec(period)?.slice(1) ?? [];
  return {
    [`${name}_from`]: from && startOf(from)?.toISOString(),
    [`${name}_to`]: to && startOf(to, 1)?.toISOString(),
  };
}

const daysBefore = (now: number, days: string): string => new Date(now - Number(days) * DAY_MS).toISOString();

/** Midnight in the browser's time zone of a day, or of one after it; undefined if there is no such day. */
function startOf(day: string, later = 0): Date | undefined {
  const [year = 0, month = 0, date = 0] = day.split('-').map(Number);
  const start = new Date(year, month - 1, date);
  if (start.getMonth() !== month - 1 || start.getDate() !== date) return undefined;
  return new Date(year, month - 1, date + later);
}

/** Trimmed text that the service accepts. */
function textIn(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  const text = value.replace(/\p{Cc}+/gu, ' ').trim();
  return text !== '' && [...text].length <= SEARCH_MAX_CHARACTERS ? text : undefined;
}

const oneOf = <T extends string>(allowed: readonly T[], value: unknown): T | undefined =>
  allowed.find((item) => item === value);

type Present<T> = { [Name in keyof T]?: Exclude<T[Name], undefined> };

/** Without the members that are undefined or empty. */
const present = <T extends object>(members: T): Present<T> =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined && value !== '')) as Present<T>;
