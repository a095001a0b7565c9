import type { ListedIdentity } from '../../../shared/identities.ts';
import { membersOf } from '../../../shared/json.ts';
import { deleteIdentity, identitiesChanged, identityQuery, readIdentity } from '../../api/identities.ts';
import { readStoredByIds } from '../../api/identity-batches.ts';
import { idsThatMatch } from '../../api/identity-search.ts';
import { RequestError } from '../../api/request.ts';
import { hasSessionSince, identitySessionsQuery, revokeSessions } from '../../api/sessions.ts';
import { displayName } from '../../lib/identity-name.ts';
import type { BulkAct, BulkMatching, BulkSubject } from '../../list/bulk-run.ts';
import { CANNOT_BE_UNDONE, SESSIONS_STAY_ENDED } from '../../ui/confirm-dialog.tsx';
import { fixedQuestion, type IdentitiesSearch, isBySignIn, missingFrom } from './identity-query.ts';
import { activateIdentity, deactivateIdentity, IDENTITIES } from './identity-resource.ts';
import { SAVE_IDENTITIES } from './transfer/export-identities.ts';

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

const TOKENS_STAY = 'Tokens that applications already have stay valid until they expire.';

const endsOwnSession: BulkAct<ListedIdentity>['warning'] = (identities, operator) =>
  identities.some(({ id }) => id === operator.identityId)
    ? 'You are among them: your session in this dashboard ends as well.'
    : undefined;

const spares: BulkAct<ListedIdentity>['spares'] = {
  holds: ({ id }, operator) => id === operator.identityId,
  words: 'You are among them: your own account is left out.',
};

export const ACTS = {
  deactivate: {
    label: 'Deactivate',
    title: 'Deactivate',
    running: 'Deactivating',
    done: 'deactivated',
    consequences: [
      'They can no longer sign in. Nothing is deleted; you can activate them again at any time.',
      'Their sessions end as well, and do not come back; otherwise these would work again after activation.',
      TOKENS_STAY,
    ],
    final: false,
    grave: true,
    spares,
    already: { holds: ({ state }) => state === 'inactive', words: 'already inactive' },
    act: async ({ id }) => {
      await deactivateIdentity(id);
      return undefined;
    },
  },
  activate: {
    label: 'Activate',
    title: 'Activate',
    running: 'Activating',
    done: 'activated',
    consequences: ['They can sign in again with the credentials they had.'],
    final: false,
    grave: false,
    spares,
    already: { holds: ({ state }) => state === 'active', words: 'already active' },
    act: async ({ id }) => {
      await activateIdentity(id);
      return undefined;
    },
  },
  endSessions: {
    label: 'End sessions',
    title: 'End all sessions of',
    running: 'Ending sessions',
    done: 'signed out in every browser',
    consequences: ['They are signed out in every browser and have to sign in again.', TOKENS_STAY, SESSIONS_STAY_ENDED],
    final: false,
    grave: true,
    warning: endsOwnSession,
    act: async ({ id }) => {
      await revokeSessions(id);
      return undefined;
    },
  },
  delete: {
    label: 'Delete',
    title: 'Delete',
    running: 'Deleting',
    done: 'deleted',
    consequences: [
      'The identities, their traits and both kinds of metadata are permanently deleted.',
      'Credentials, addresses and sessions are deleted, too; the addresses can then be used by somebody else.',
      TOKENS_STAY,
      CANNOT_BE_UNDONE,
    ],
    final: true,
    grave: true,
    saveFirst: SAVE_IDENTITIES,
    spares,
    act: async ({ id }) => {
      try {
        await deleteIdentity(id);
        return undefined;
      } catch (error) {
        if (error instanceof RequestError && error.status === 404) return 'It was already deleted.';
        throw error;
      }
    },
  },
} as const satisfies Record<string, BulkAct<ListedIdentity>>;

export const SUBJECT: BulkSubject<ListedIdentity, IdentitiesSearch> = {
  name: IDENTITIES,
  nameOf: displayName,
  nameColumn: 'identifier',
  read: async ({ id }) => listed({ ...(await readIdentity(id)) }),
  matching,
  invalidate(queryClient, identities) {
    void identitiesChanged(queryClient);
    // In one pass: they may be thousands.
    const ids = new Set(identities.map(({ id }) => id));
    const kinds = new Set([identityQuery, identitySessionsQuery].map((query) => query('').queryKey[0]));
    void queryClient.invalidateQueries({
      predicate: ({ queryKey: [kind, id] }) => kinds.has(String(kind)) && ids.has(String(id)),
    });
  },
};
