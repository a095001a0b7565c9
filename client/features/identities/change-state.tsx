import { Button } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { AuditRecord } from '../../../shared/audit.ts';
import { type Identity, identitiesChanged, identityQuery, readIdentity } from '../../api/identities.ts';
import { reworded } from '../../api/request.ts';
import { useCan, useOperator } from '../../api/session.ts';
import { identitySessionsQuery, revokeSessions } from '../../api/sessions.ts';
import { displayName } from '../../lib/identity-name.ts';
import { takeBack, type WrittenChange } from '../../record/undo.ts';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { IconArrowBackUp } from '../../ui/icons.tsx';
import { offerUndo, UndoRefused } from '../../ui/toasts.tsx';
import { identityChange } from './identity-change.ts';
import { activateIdentity, deactivateIdentity, formatState, OWN_ACCOUNT } from './identity-resource.ts';

/**
 * Deactivates an identity and ends its sessions, or activates it again.
 * @param undoing it takes a recorded change back, which must still be the last one
 */
export function ChangeState(props: { identity: Identity; undoing?: boolean; onClose: () => void }) {
  const { identity, undoing = false, onClose } = props;
  const queryClient = useQueryClient();
  const self = useOperator().identityId === identity.id;
  const active = identity.state === 'active';
  const refresh = () =>
    Promise.all([
      queryClient.invalidateQueries({ queryKey: identityQuery(identity.id).queryKey }),
      queryClient.invalidateQueries({ queryKey: identitySessionsQuery(identity.id).queryKey }),
      identitiesChanged(queryClient),
    ]);
  const act = async (): Promise<void> => {
    if (undoing) await expectState(identity);
    const saved = await (active ? deactivateIdentity(identity.id, refresh) : activateIdentity(identity.id));
    const change = identityChange(saved, [{ path: '/state', before: identity.state, after: saved.state }]);
    offerUndo(active ? 'Deactivated and signed out' : 'Activated', () =>
      (active ? takeBack(change) : takeActivationBack(change)).finally(refresh),
    );
    await refresh();
    onClose();
  };
  const what = active ? 'Deactivate' : 'Activate';
  return (
    <ConfirmDialog
      title={undoing ? `Undo: ${what.toLowerCase()} ${displayName(identity)}?` : `${what} ${displayName(identity)}?`}
      consequences={
        active
          ? [
              'The person can no longer sign in. Nothing is deleted; you can activate the identity again at any time.',
              'Its sessions end as well, and do not come back; otherwise these would work again after activation.',
              'Tokens that applications already have stay valid until they expire.',
            ]
          : [
              'The person can sign in again with the credentials they had.',
              'Sessions that ended with the deactivation do not come back.',
            ]
      }
      action={what}
      refused={self ? OWN_ACCOUNT : undefined}
      onClose={() => {
        // Not earlier: the record beside which it is undone may no longer offer that then.
        if (undoing) void refresh();
        onClose();
      }}
      act={act}
    />
  );
}

/** Like any deactivation, this one leaves no sessions behind; a second attempt ends those that the first could not. */
async function takeActivationBack(change: WrittenChange<Identity>): Promise<string> {
  const done = await takeBack(change);
  await revokeSessions(change.saved.id).catch((error: Error) => {
    throw reworded(error, `It is deactivated again, but its sessions could not be ended: ${error.message}`);
  });
  return done;
}

async function expectState({ id, state }: Identity): Promise<void> {
  const now = await readIdentity(id);
  if (now.state === state) return;
  throw new UndoRefused(`Somebody has changed the state since: it is now ${formatState(now.state).toLowerCase()}.`);
}

/** Beside the record that `standingState` names: takes the activation or deactivation back. */
export function UndoState({ identity }: { identity: Identity }) {
  const may = useCan();
  /** As it was when the operator pressed the button: what the dialog says must not change under their hands. */
  const [asked, setAsked] = useState<Identity>();
  if (!may('upstreams.write')) return null;
  return (
    <>
      <Button
        size="compact-xs"
        variant="default"
        leftSection={<IconArrowBackUp size={14} />}
        aria-label={identity.state === 'active' ? 'Undo the activation' : 'Undo the deactivation'}
        onClick={() => setAsked(identity)}
      >
        Undo
      </Button>
      {asked !== undefined && <ChangeState identity={asked} undoing onClose={() => setAsked(undefined)} />}
    </>
  );
}

/**
 * The record of the change that gave an identity its state, if that state still stands; undefined also where an older
 * change made it what it is.
 * @param records about the identity, the newest first
 */
export function standingState(
  { id, state }: Pick<Identity, 'id' | 'state'>,
  records: readonly AuditRecord[],
): AuditRecord | undefined {
  const last = records.find(
    ({ action, subject, details: { method, status, state: set } }) =>
      action === 'proxy_write' &&
      subject === `identity:${id}` &&
      (method === 'PATCH' || method === 'PUT') &&
      (set === 'active' || set === 'inactive') &&
      typeof status === 'number' &&
      status < 300,
  );
  return last?.details.state === state ? last : undefined;
}
