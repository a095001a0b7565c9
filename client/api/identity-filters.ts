import { SORTS, type Sort } from '../../shared/identities.ts';
import { parsePeriod } from '../lib/period.ts';
import { searchText } from '../lib/search-text.ts';

/**
 * The search parameters that filter and order the list of identities. A period is `7d`, the last seven days, or
 * `2026-01-01..2026-02-01`, local days of which either may be missing.
 */
export interface IdentityFilters {
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

const SORTED = SORTS.flatMap((by) => [by, `-${by}`] as const).filter((sort) => sort !== '-created');
const NONE = /^none(?:-([1-9]\d{0,3})d)?$/;

/** Parses the parameters of an address; what has no meaning is left out. */
export function parseIdentityFilters(search: Record<string, unknown>): IdentityFilters {
  return present({
    q: searchText(search.q),
    state: oneOf(['active', 'inactive'], search.state),
    schema: searchText(search.schema),
    verified: oneOf(['yes', 'no'], search.verified),
    created: periodIn(search.created),
    updated: periodIn(search.updated),
    session: noneKnownFor(search.session) === undefined ? periodIn(search.session) : String(search.session),
    sort: oneOf(SORTED, search.sort),
  });
}

/** For how many days no session may be known, if `session` asks for that; undefined for a period. */
export function noneKnownFor(session: unknown): number | 'ever' | undefined {
  const none = typeof session === 'string' ? NONE.exec(session) : null;
  return none === null ? undefined : none[1] === undefined ? 'ever' : Number(none[1]);
}

const periodIn = (value: unknown): string | undefined =>
  parsePeriod(value) === undefined ? undefined : (value as string);

const oneOf = <T extends string>(allowed: readonly T[], value: unknown): T | undefined =>
  allowed.find((item) => item === value);

type Present<T> = { [Name in keyof T]?: Exclude<T[Name], undefined> };

/** Without the members that are undefined. */
export const present = <T extends object>(members: T): Present<T> =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Present<T>;
