import type { ListedIdentity } from '../../../../shared/identities.ts';
import { deleteIdentity } from '../../../api/identities-record.ts';
import { revokeSessions } from '../../../api/identities-sessions.ts';
import { RequestError } from '../../../api/request-error.ts';
import { activateIdentity, deactivateIdentity } from '../identity-state.ts';

/** Something that can be done to many identities at once. */
export interface BulkAct {
  /** On the button: “Delete”. */
  label: string;
  /** Before their number: “Delete 3 identities”. */
  title: string;
  /** While it runs: “Deleting”. */
  running: string;
  /** Of one that it was done to: “deleted”. */
  done: string;
  consequences: readonly string[];
  /** Cannot be taken back: the count has to be typed. */
  final: boolean;
  /** The operator's own identity among them loses its session here. */
  endsOwnSession: boolean;
  /** @returns why there was nothing to do, else nothing */
  act: (identity: ListedIdentity) => Promise<string | undefined>;
}

const TOKENS_STAY = 'Tokens that applications hold already stay valid until they expire.';

export const BULK_ACTS = {
  deactivate: {
    label: 'Deactivate',
    title: 'Deactivate',
    running: 'Deactivating',
    done: 'deactivated',
    consequences: [
      'They can no longer sign in. Nothing is deleted; each can be activated again at any time.',
      'All of their sessions are ended in the same step: they would come back to life with the activation.',
      TOKENS_STAY,
    ],
    final: false,
    endsOwnSession: true,
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
    endsOwnSession: false,
    act: async ({ id }) => {
      await activateIdentity(id);
      return undefined;
    },
  },
  endSessions: {
    label: 'End sessions',
    title: 'End all sessions of',
    running: 'Ending sessions',
    done: 'signed out everywhere',
    consequences: ['They are signed out everywhere and have to sign in again.', TOKENS_STAY],
    final: false,
    endsOwnSession: true,
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
      'The identities, their traits and both kinds of metadata are deleted for good. Nobody can bring them back.',
      'Credentials, addresses and sessions go with them; the addresses are free for somebody else.',
      TOKENS_STAY,
    ],
    final: true,
    endsOwnSession: true,
    act: async ({ id }) => {
      try {
        await deleteIdentity(id);
        return undefined;
      } catch (error) {
        if (error instanceof RequestError && error.status === 404) return 'It was gone already.';
        throw error;
      }
    },
  },
} as const satisfies Record<string, BulkAct>;

export type BulkActName = keyof typeof BULK_ACTS;
