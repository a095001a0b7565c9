import type { IndexState } from '../../shared/identities.ts';
import { type EntryFilter, fits, identityEntry } from '../../shared/identity-entry.ts';
import { searchesFor } from '../../shared/text.ts';
import { counted } from '../lib/format-count.ts';
import { formatDays, formatPeriod, parsePeriod } from '../lib/period.ts';
import { visibleText } from '../lib/visible-text.ts';
import { daysWithoutSession, type IdentityFilters, identitySearchParams } from './identity-filters.ts';

/** “inactive, created in the last 7 days” */
export function inWords({ q, state, schema, verified, created, updated, session }: IdentityFilters): string {
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
export function snapshotSearch(search: IdentityFilters, now: number) {
  const params = identitySearchParams(search, now);
  for (const name of ['sort', 'order']) params.delete(name);
  const { q, state, schema_id, verified, ...times } = Object.fromEntries(params) as Record<string, string | undefined>;
  const timeIn = (name: string): number | undefined => {
    const time = times[name];
    return time === undefined ? undefined : Date.parse(time);
  };
  const period = (name: string) => ({ from: timeIn(`${name}_from`), to: timeIn(`${name}_to`) });
  const filter = {
    active: state === undefined ? undefined : state === 'active',
    schemaId: schema_id,
    verified: verified === undefined ? undefined : verified === 'true',
    created: period('created'),
    updated: period('updated'),
  } satisfies Record<Exclude<keyof EntryFilter, 'words'>, unknown>;
  return {
    params,
    /** The filters in words: “inactive, created in the last 7 days”; “everything” without filters. */
    words: inWords(search) || 'everything',
    /** Whether a stored identity still matches. Sessions are not checked. */
    fits(identity: unknown): boolean {
      const entry = identityEntry(identity);
      return entry !== undefined && searchesFor(q).some(({ words }) => fits(entry, { ...filter, words }));
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
