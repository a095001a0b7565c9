import { parsePeriod } from '../lib/period.ts';
import { daysBefore, timesOf } from '../lib/period-times.ts';
import { type IdentityFilters, noneKnownFor, present } from './identity-filters.ts';

/**
 * What the search asks of `GET /api/identities/search` and the routes below it.
 * @param now milliseconds since the epoch, from which the last days are counted
 */
export function identityQuestion(search: IdentityFilters, now: number): URLSearchParams {
  const { q, state, schema, verified, session, sort } = search;
  const none = noneKnownFor(session);
  const asked = {
    // Any part is found anyway; without the index, a star asks for beginnings.
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
  return new URLSearchParams(present(asked) as Record<string, string>);
}

function timesIn(name: string, text: string | undefined, now: number): Record<string, string | undefined> {
  const period = parsePeriod(text);
  if (period === undefined) return {};
  const { from, to } = timesOf(period, now);
  return { [`${name}_from`]: from, [`${name}_to`]: to };
}
