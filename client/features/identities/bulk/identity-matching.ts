import type { ListedIdentity } from '../../../../shared/identities.ts';
import { membersOf } from '../../../../shared/json.ts';
import { readIdentity } from '../../../api/identities-record.ts';
import { hasSessionSince } from '../../../api/identities-sessions.ts';
import { readStoredByIds } from '../../../api/identity-batches.ts';
import { idsThatMatch } from '../../../api/identity-matches.ts';
import { RequestError } from '../../../api/request-error.ts';
import type { BulkMatching } from '../../../resource/bulk/bulk-act.ts';
import { fixedQuestion, missingFrom } from '../fixed-question.ts';
import { type IdentitiesSearch, isBySignIn } from '../identity-question.ts';

/** So many are named before the act. */
const NAMED = 5;

/** All who match a search of the list from now on: who is found by it, and who still fits. */
export function matching(search: IdentitiesSearch): BulkMatching<ListedIdentity> {
  const question = fixedQuestion(search, Date.now());
  const { noSessionSince } = question;
  return {
    words: question.words,
    promise:
      noSessionSince === undefined
        ? 'Each is read again before it is changed. Whoever no longer matches is left out.'
        : 'Each is read again with its sessions before it is changed. Whoever no longer matches or has signed in is left out.',
    checksChosen: isBySignIn(search),
    async find(signal) {
      const { ids, index } = await idsThatMatch(question.params, signal);
      const named = await readStoredByIds(ids.slice(0, NAMED), JSON.parse, signal);
      const known = new Map(named.map((identity) => [String(identity.id).toLowerCase(), listed(identity)]));
      return { items: ids.map((id) => known.get(id) ?? listed({ id })), missing: missingFrom(index) };
    },
    async check(item) {
      const identity = await stored(item.id);
      if (identity === undefined) return { item, leftOut: 'It no longer exists.' };
      const current = listed({ ...identity });
      if (!question.fits(identity)) return { item: current, leftOut: 'It no longer matches.' };
      if (noSessionSince !== undefined && (await hasSessionSince(item.id, noSessionSince)))
        return { item: current, leftOut: 'It has a session that was not known.' };
      return { item: current };
    },
  };
}

const stored = (id: string) =>
  readIdentity(id).catch((error: unknown) => {
    if (error instanceof RequestError && error.status === 404) return undefined;
    throw error;
  });

/** Thousands of them are kept until the dialog closes: no more than the list shows. */
export const listed = ({ id, traits, state, created_at, updated_at }: Record<string, unknown>): ListedIdentity => ({
  id: String(id),
  traits: membersOf(traits),
  state: String(state ?? ''),
  created_at: String(created_at ?? ''),
  updated_at: String(updated_at ?? ''),
});
