import type { ListedIdentity } from '../../../../shared/identities.ts';
import { identitiesChanged } from '../../../api/identities-changed.ts';
import { deleteIdentity, identityQuery, readIdentity } from '../../../api/identities-record.ts';
import { identitySessionsQuery, revokeSessions } from '../../../api/identities-sessions.ts';
import { RequestError } from '../../../api/request-error.ts';
import { displayName } from '../../../format/identity-name.ts';
import type { BulkAct, BulkSubject } from '../../../resource/bulk/bulk-act.ts';
import { NO_WAY_BACK, SESSIONS_STAY_ENDED } from '../../../ui/dialog/way-back.ts';
import type { IdentitiesSearch } from '../identity-question.ts';
import { IDENTITIES } from '../identity-resource.ts';
import { activateIdentity, deactivateIdentity } from '../identity-state.ts';
import { SAVE_IDENTITIES } from '../save-identities.ts';
import { listed, matching } from './identity-matching.ts';

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
      NO_WAY_BACK,
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
