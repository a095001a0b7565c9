import { can } from '../../../shared/capabilities.ts';
import type { ListedIdentity } from '../../../shared/identities.ts';
import { membersOf, timeOf } from '../../../shared/json.ts';
import { deleteIdentity, identitiesChanged, identityQuery, readIdentity } from '../../api/identities.ts';
import { readStoredByIds } from '../../api/identity-batches.ts';
import { isBySignIn } from '../../api/identity-filters.ts';
import { matchingIds } from '../../api/identity-search.ts';
import { unlessGone } from '../../api/request.ts';
import { missingFrom, snapshotSearch } from '../../api/search-snapshot.ts';
import { identitySessionsQuery, readSessionsPage, revokeSessions } from '../../api/sessions.ts';
import { displayName } from '../../lib/identity-name.ts';
import type { BulkAct, BulkMatching, BulkSubject } from '../../list/bulk-run.ts';
import { identityLabel } from '../../list/search.tsx';
import { CANNOT_BE_UNDONE, SESSIONS_STAY_ENDED, TOKENS_STAY } from '../../ui/confirm-dialog.tsx';
import { SAVE_IDENTITIES } from '../import-export/export-identities.tsx';
import type { IdentitiesSearch } from './identity-resource.ts';
import { activateIdentity, deactivateIdentity, IDENTITIES } from './identity-resource.ts';

const spares: BulkAct<ListedIdentity>['spares'] = {
  holds: ({ id }, operator) => id === operator.identityId,
  words: 'You are among them: your own account is skipped.',
};

export const ACTS = {
  deactivate: {
    title: 'Deactivate',
    running: 'Deactivating',
    done: 'deactivated',
    consequence: 'They are signed out and cannot sign in until you activate them again.',
    details: [
      'Nothing is deleted, and you can activate them again at any time.',
      'Their sessions end and cannot be restored, not even by activating them again.',
      TOKENS_STAY,
    ],
    grave: true,
    spares,
    already: { holds: ({ state }) => state === 'inactive', words: 'already inactive' },
    act: ({ id }, reason) => deactivateIdentity(id, reason).then(() => undefined),
  },
  activate: {
    title: 'Activate',
    running: 'Activating',
    done: 'activated',
    consequence: 'They can sign in again with the credentials they had.',
    details: ['Sessions that ended with the deactivation are not restored.'],
    spares,
    already: { holds: ({ state }) => state === 'active', words: 'already active' },
    withoutReason: true,
    act: ({ id }) => activateIdentity(id).then(() => undefined),
  },
  endSessions: {
    title: 'End all sessions of',
    running: 'Ending all sessions',
    done: 'signed out in every browser',
    button: 'End all sessions',
    past: 'Ended all sessions of',
    consequence: 'They are signed out in every browser and have to sign in again.',
    details: [TOKENS_STAY, SESSIONS_STAY_ENDED],
    grave: true,
    warning: (identities, operator) =>
      can(operator.role, 'operators.write') && identities.some(({ id }) => id === operator.identityId)
        ? 'You are among them: your session in this dashboard ends as well.'
        : undefined,
    act: ({ id }, reason) => revokeSessions(id, reason).then(() => undefined),
  },
  delete: {
    title: 'Delete',
    running: 'Deleting',
    done: 'deleted',
    consequence: 'The identities are permanently deleted, with their credentials, addresses and sessions.',
    details: [
      'Traits and metadata are deleted, too. Other identities can then use the addresses.',
      TOKENS_STAY,
      CANNOT_BE_UNDONE,
    ],
    final: true,
    grave: true,
    saveFirst: SAVE_IDENTITIES,
    spares,
    act: ({ id }, reason) =>
      deleteIdentity(id, reason).then(
        () => undefined,
        (error: unknown) => unlessGone(error) ?? 'It was already deleted.',
      ),
  },
} as const satisfies Record<string, BulkAct<ListedIdentity>>;

export const SUBJECT: BulkSubject<ListedIdentity, IdentitiesSearch> = {
  name: IDENTITIES,
  nameOf: displayName,
  labelOf: identityLabel,
  nameColumn: 'identifier',
  read: async (identities) => (await readStoredByIds(identities.map(({ id }) => id))).map(listed),
  matching,
  invalidate(queryClient, identities) {
    void identitiesChanged(queryClient);
    // Invalidate all queries in one pass, since a bulk action may cover thousands of identities.
    const ids = new Set(identities.map(({ id }) => id));
    const kinds = new Set([identityQuery, identitySessionsQuery].map((query) => query('').queryKey[0]));
    void queryClient.invalidateQueries({
      predicate: ({ queryKey: [kind, id] }) => kinds.has(String(kind)) && ids.has(String(id)),
    });
  },
};

const NAMED = 5;

function matching(search: IdentitiesSearch): BulkMatching<ListedIdentity> {
  const { params, words, fits, noSessionSince } = snapshotSearch(search, Date.now());
  return {
    words,
    promise:
      noSessionSince === undefined
        ? 'Each identity is checked again before it is changed. Those that no longer match are left out.'
        : 'Each identity is checked again, with its sessions, before it is changed. Those that no longer match or have signed in are left out.',
    checksChosen: isBySignIn(search),
    async find(signal) {
      const { ids, index } = await matchingIds(params, signal);
      const named = await readStoredByIds(ids.slice(0, NAMED), signal);
      const byId = new Map(named.map((identity) => [String(identity.id).toLowerCase(), listed(identity)]));
      return { items: ids.map((id) => byId.get(id) ?? listed({ id })), missing: missingFrom(index) };
    },
    async check(item) {
      const identity = await readIdentity(item.id).catch(unlessGone);
      if (identity === undefined) return { item, leftOut: 'It no longer exists.' };
      const current = listed({ ...identity });
      if (!fits(identity)) return { item: current, leftOut: 'It no longer matches.' };
      if (noSessionSince !== undefined && (await hasSessionSince(item.id, noSessionSince)))
        return { item: current, leftOut: 'It has a session that the search did not find.' };
      return { item: current };
    },
  };
}

/** Picks only the members that the list shows: thousands of identities stay in memory until the dialog closes. */
const listed = ({ id, traits, state, created_at, updated_at }: Record<string, unknown>): ListedIdentity => ({
  id: String(id),
  traits: membersOf(traits),
  state: String(state ?? ''),
  created_at: String(created_at ?? ''),
  updated_at: String(updated_at ?? ''),
});

/** Prevents endless paging; no identity should have this many pages of sessions. */
const PAGES_MAX = 40;

/**
 * Whether an identity has a session, ended or not, with a sign-in at or after a time. Reads all pages if necessary: a
 * session keeps its position in the list when the person signs in again.
 * @param since milliseconds since the epoch; -Infinity for any session
 */
export async function hasSessionSince(id: string, since: number): Promise<boolean> {
  for (let page = 1; page <= PAGES_MAX; page += 1) {
    const { rows, next } = await readSessionsPage(id, page);
    if (rows.some(({ authenticated_at }) => timeOf(authenticated_at) >= since)) return true;
    if (next === undefined) return false;
  }
  throw new Error('This identity has too many sessions to check.');
}
