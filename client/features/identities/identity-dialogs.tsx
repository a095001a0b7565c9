import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type ComponentType, useState } from 'react';
import { formatDevice } from '../../../shared/format-device.ts';
import type { IdentityCredential } from '../../../shared/identity-credentials.ts';
import type { LockedAccount } from '../../../shared/security.ts';
import {
  deleteIdentity,
  type Identity,
  identitiesChanged,
  identityQuery,
  patchIdentity,
  readIdentity,
  type VerifiableAddress,
} from '../../api/identities.ts';
import {
  type CredentialItem,
  credentialItems,
  credentialName,
  identityCredentialsQuery,
  SECOND_FACTORS,
} from '../../api/identity-credentials.ts';
import { identityAdmin, send, unlessGone } from '../../api/request.ts';
import { useOperator } from '../../api/session.ts';
import { type IdentitySession, identitySessionsQuery, revokeSession, revokeSessions } from '../../api/sessions.ts';
import { displayName, shortName } from '../../lib/identity-name.ts';
import { shortened } from '../../lib/visible-text.ts';
import { Overwritten } from '../../record/member-changes.ts';
import { UnlockDialog } from '../../record/unlock-dialog.tsx';
import {
  CANNOT_BE_UNDONE,
  ConfirmDialog,
  type Consequences,
  SESSIONS_STAY_ENDED,
  TOKENS_STAY,
} from '../../ui/confirm-dialog.tsx';
import { SaveFirstField } from '../../ui/save-first-field.tsx';
import { offerUndo, toast, UndoRefused } from '../../ui/toasts.tsx';
import { SAVE_IDENTITIES } from '../import-export/export-identities.tsx';
import { ChangeState } from './change-state.tsx';
import { readAfterWrite, refreshIdentity } from './identity-draft.ts';
import { OWN_ACCOUNT } from './identity-resource.ts';
import { RecoveryDialog, SendRecovery } from './recovery-dialog.tsx';
import { SignOutEverywhere } from './sign-out-everywhere.tsx';

export type PlainAct = 'recovery' | 'sendRecovery' | 'endSessions' | 'signOutEverywhere' | 'changeState' | 'delete';
type IdentityAct =
  | { act: PlainAct }
  | { act: 'endSession'; session: IdentitySession }
  | { act: 'deleteCredential'; item: CredentialItem }
  | { act: 'verify'; address: VerifiableAddress }
  | { act: 'unlock'; account: LockedAccount };

export interface OfIdentity {
  identity: Identity;
  onClose: () => void;
}

const DIALOGS = {
  recovery: RecoveryDialog,
  sendRecovery: SendRecovery,
  endSessions: EndSessions,
  endSession: EndSessions,
  signOutEverywhere: SignOutEverywhere,
  changeState: ChangeState,
  delete: DeleteIdentity,
  deleteCredential: DeleteCredential,
  verify: MarkVerified,
  unlock: UnlockDialog,
};

export function IdentityDialog(props: OfIdentity & IdentityAct) {
  const Dialog = DIALOGS[props.act] as ComponentType<OfIdentity>;
  return <Dialog {...props} />;
}

function EndSessions({ identity, session, onClose }: OfIdentity & { session?: IdentitySession }) {
  const queryClient = useQueryClient();
  const name = shortName(identity);
  return (
    <ConfirmDialog
      {...(session === undefined
        ? {
            title: `End all sessions of ${name}?`,
            consequence: 'The person is signed out in every browser and has to sign in again.',
            details: [`${TOKENS_STAY} To end them as well, sign the person out everywhere.`, SESSIONS_STAY_ENDED],
            action: 'End all sessions',
          }
        : {
            title: `End the session of ${name} (${formatDevice(session.devices?.[0]?.user_agent)})?`,
            consequence: 'The person is signed out on this device and has to sign in again there.',
            details: ['Other sessions continue.', TOKENS_STAY, SESSIONS_STAY_ENDED],
            action: 'End session',
          })}
      onClose={onClose}
      act={async (reason) => {
        await (session === undefined ? revokeSessions(identity.id, reason) : revokeSession(session.id, reason));
        await queryClient.invalidateQueries({ queryKey: identitySessionsQuery(identity.id).queryKey });
        toast(`Ended ${session === undefined ? 'all sessions' : 'the session'} of ${name}`);
        onClose();
      }}
    />
  );
}

function DeleteIdentity({ identity, onClose }: OfIdentity) {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const self = useOperator().identityId === identity.id;
  const [saving, setSaving] = useState(false);
  const name = shortName(identity);
  return (
    <ConfirmDialog
      title={`Delete ${name}?`}
      consequence="The identity is permanently deleted, with its credentials, addresses and sessions."
      details={[
        'Its traits and metadata are deleted, too. Other identities can then use the addresses.',
        TOKENS_STAY,
        `${CANNOT_BE_UNDONE} To only keep the person out, deactivate the identity instead.`,
      ]}
      typed={displayName(identity)}
      refused={self ? OWN_ACCOUNT : undefined}
      action="Delete identity"
      onClose={onClose}
      act={async (reason) => {
        if (saving) await SAVE_IDENTITIES.save([identity.id], new AbortController().signal, () => {});
        // Another operator may have deleted the identity first.
        await deleteIdentity(identity.id, reason).catch(unlessGone);
        await identitiesChanged(queryClient);
        await navigate({ to: '/identities' });
        queryClient.removeQueries({ queryKey: identityQuery(identity.id).queryKey });
        toast(`Deleted ${name}`);
      }}
    >
      <SaveFirstField about={SAVE_IDENTITIES.about} chosen={saving} onChange={setSaving} />
    </ConfirmDialog>
  );
}

/** Kratos decides whether a credential may be deleted. If it refuses, the dialog shows the reason. */
function DeleteCredential({ identity, item, onClose }: OfIdentity & { item: CredentialItem }) {
  const { credential, identifier } = item;
  const queryClient = useQueryClient();
  const name = shortened([credentialName(credential.type), identifier].filter(Boolean).join(' '));
  return (
    <ConfirmDialog
      title={`Delete ${name} of ${shortName(identity)}?`}
      {...consequencesOf(credential)}
      action="Delete credential"
      onClose={onClose}
      act={async (reason) => {
        const query = identifier === undefined ? '' : `?${new URLSearchParams({ identifier })}`;
        const path = `/identities/${encodeURIComponent(identity.id)}/credentials/${encodeURIComponent(credential.type)}`;
        await send(identityAdmin(path) + query, { method: 'DELETE', reason });
        void queryClient.invalidateQueries({ queryKey: identityQuery(identity.id).queryKey });
        // Kratos reports success for some credentials that it does not delete, so check.
        const left = await queryClient.fetchQuery({ ...identityCredentialsQuery(identity.id), staleTime: 0 });
        if (
          credentialItems(left).some((one) => one.credential.type === credential.type && one.identifier === identifier)
        )
          throw new Error('The identity service reported success but did not delete the credential.');
        toast(`Deleted ${name}`);
        onClose();
      }}
    />
  );
}

function consequencesOf({ type, keys = [] }: IdentityCredential): Consequences {
  return {
    consequence: SECOND_FACTORS.has(type)
      ? 'The person signs in without this second factor until they set it up again.'
      : 'The person can no longer sign in this way until they set it up again.',
    details: [
      ...(keys.length > 1 ? [`All ${keys.length} keys are deleted; only the person can remove a single one.`] : []),
      'Existing sessions continue. If the account may be compromised, end them on the Sessions tab.',
      CANNOT_BE_UNDONE,
      'The identity service refuses to delete the last way to sign in.',
    ],
  };
}

function MarkVerified({ identity, address, onClose }: OfIdentity & { address: VerifiableAddress }) {
  const queryClient = useQueryClient();
  const refresh = () => refreshIdentity(queryClient, identity.id);
  const name = shortened(address.value);
  return (
    <ConfirmDialog
      title={`Mark ${name} as verified?`}
      consequence="First make sure that the address belongs to the person: no code is sent to verify it."
      details={['Sign-in and recovery that require a verified address will work.']}
      action="Mark as verified"
      danger={false}
      withoutReason
      onClose={onClose}
      act={async () => {
        await setVerified(identity.id, address, true);
        offerUndo(`Marked ${name} as verified`, async () => {
          await setVerified(identity.id, address, false).finally(refresh);
          return '';
        });
        await refresh();
        onClose();
      }}
    />
  );
}

/** Reads the identity right before the patch, because a JSON Patch addresses list entries by position. */
async function setVerified(id: string, { value, via }: VerifiableAddress, verified: boolean): Promise<void> {
  const indexIn = ({ verifiable_addresses: all = [] }: Identity): number =>
    all.findIndex((one) => one.value === value && one.via === via);
  const index = indexIn(await readIdentity(id));
  if (index < 0) throw new UndoRefused('The identity no longer has this address.');
  const path = `/verifiable_addresses/${index}`;
  const saved = await patchIdentity(id, [
    { op: 'add', path: `${path}/verified`, value: verified },
    { op: 'add', path: `${path}/verified_at`, value: verified ? new Date().toISOString() : null },
    { op: 'add', path: `${path}/status`, value: verified ? 'completed' : 'pending' },
  ]);
  const now = await readAfterWrite(saved);
  const [isSaved, isStored] = [saved, now].map(
    (one) => one.verifiable_addresses?.[indexIn(one)]?.verified === verified,
  );
  if (!isSaved) throw new UndoRefused('The identity service did not change the address.');
  if (!isStored) throw new Overwritten(['/verified'], now);
}
