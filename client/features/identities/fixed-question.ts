import type { IndexState } from '../../../shared/identities.ts';
import { fits, type Period, personEntry } from '../../../shared/identities.ts';
import { searchTerms } from '../../../shared/text.ts';
import { identityQuestion } from '../../api/filter-parameters.ts';
import { counted } from '../../format/counted.ts';
import { describeFilters } from './describe-filters.ts';
import type { IdentitiesSearch } from './identity-question.ts';

/** A search of the list at a moment, for acts and files that take all who match. */
export interface FixedQuestion {
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
export function fixedQuestion(search: IdentitiesSearch, now: number): FixedQuestion {
  const params = identityQuestion(search, now);
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
