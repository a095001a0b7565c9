import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { AuditRecord } from '../../../shared/audit.ts';
import { type Identity, readIdentity } from '../../api/identities.ts';
import { useCan, useOperator, useRefusal } from '../../api/session.ts';
import { identitySessionsQuery } from '../../api/sessions.ts';
import { shortName } from '../../lib/identity-name.ts';
import { type SavedChange, savedChange, undoChange } from '../../record/undo.ts';
import { SmallButton } from '../../ui/buttons.tsx';
import { ConfirmDialog, type Consequences, TOKENS_STAY } from '../../ui/confirm-dialog.tsx';
import { IconArrowBackUp } from '../../ui/icons.tsx';
import { offerUndo, UndoRefused } from '../../ui/toasts.tsx';
import { changedState } from '../sign-in-diagnosis/evidence.ts';
import { identityRecord, refreshIdentity, saveIdentity } from './identity-draft.ts';
import {
  activateIdentity,
  deactivateIdentity,
  endSessionsAfter,
  formatState,
  OWN_ACCOUNT,
} from './identity-resource.ts';

/**
 * Deactivates an identity and ends its sessions, or activates the identity again.
 * @param props.undoing undoes a recorded change, which must still be the latest
 */
export function ChangeState(props: { identity: Identity; undoing?: boolean; onClose: () => void }) {
  const { identity, undoing = false, onClose } = props;
  const queryClient = useQueryClient();
  const self = useOperator().identityId === identity.id;
  const refusal = useRefusal('operators.write') ?? OWN_ACCOUNT;
  const active = identity.state === 'active';
  const name = shortName(identity);
  const refresh = () =>
    Promise.all([
      queryClient.invalidateQueries({ queryKey: identitySessionsQuery(identity.id).queryKey }),
      refreshIdentity(queryClient, identity.id),
    ]);
  const act = async (reason: string): Promise<void> => {
    if (undoing) await expectState(identity);
    const change = active
      ? deactivateIdentity(identity.id, reason, saveIdentity)
      : activateIdentity(identity.id, saveIdentity);
    const saved = await change.catch(async (error) => {
      // The deactivation may have succeeded even though ending the sessions failed.
      await refresh();
      throw error;
    });
    const done = savedChange(identityRecord(identity.id), saved, [
      { path: '/state', before: identity.state, after: saved.state },
    ]);
    offerUndo(
      `${active ? 'Deactivated' : 'Activated'} ${name}`,
      () => (active ? undoChange(done) : undoActivation(done)).finally(refresh),
      active ? ' and ended all sessions' : '',
      `Reverted: ${name} is ${active ? 'active' : 'inactive'} again`,
    );
    await refresh();
    onClose();
  };
  const what = active ? 'Deactivate' : 'Activate';
  return (
    <ConfirmDialog
      title={undoing ? `Undo: ${what.toLowerCase()} ${name}?` : `${what} ${name}?`}
      {...(active ? DEACTIVATION : ACTIVATION)}
      action={what}
      danger={active}
      withoutReason={undoing || !active}
      refused={self ? refusal : undefined}
      onClose={() => {
        // After a refused undo, refresh only now: a record that no longer offers the undo would unmount this dialog.
        if (undoing) void refresh();
        onClose();
      }}
      act={act}
    />
  );
}

const DEACTIVATION: Consequences = {
  consequence: 'The person is signed out and cannot sign in until the identity is activated again.',
  details: [
    'Nothing is deleted, and you can activate the identity again at any time.',
    'Its sessions end and cannot be restored, not even by activating the identity again.',
    TOKENS_STAY,
  ],
};
const ACTIVATION: Consequences = {
  consequence: 'The person can sign in again with the credentials they had.',
  details: ['Sessions that ended with the deactivation are not restored.'],
};

/** Deactivates the identity again and ends its sessions. A retry ends the sessions that are left. */
async function undoActivation(change: SavedChange<Identity>): Promise<string> {
  const done = await undoChange(change);
  await endSessionsAfter('The identity is deactivated again', change.saved.id);
  return done;
}

async function expectState({ id, state }: Identity): Promise<void> {
  const now = await readIdentity(id);
  if (now.state === state) return;
  throw new UndoRefused(`Somebody has since changed the state: it is now ${formatState(now.state).toLowerCase()}.`);
}

/** Offers to undo the latest activation or deactivation, next to its record in the timeline. */
export function UndoState({ identity }: { identity: Identity }) {
  const may = useCan();
  /** The identity at the time of the click, so that a refetch does not change the open dialog. */
  const [undone, setUndone] = useState<Identity>();
  if (!may('identities.state')) return null;
  return (
    <>
      <SmallButton
        leftSection={<IconArrowBackUp size={14} />}
        aria-label={identity.state === 'active' ? 'Undo the activation' : 'Undo the deactivation'}
        onClick={() => setUndone(identity)}
      >
        Undo
      </SmallButton>
      {undone !== undefined && <ChangeState identity={undone} undoing onClose={() => setUndone(undefined)} />}
    </>
  );
}

/**
 * The record of the change that set the current state; undefined if there is none.
 * @param records audit records about the identity, newest first
 */
export function lastStateChange(
  { id, state }: Pick<Identity, 'id' | 'state'>,
  records: readonly AuditRecord[],
): AuditRecord | undefined {
  const last = records.find((record) => record.subject === `identity:${id}` && changedState(record));
  return last?.details.state === state ? last : undefined;
}
