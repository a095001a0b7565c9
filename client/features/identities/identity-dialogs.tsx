import type { LockedAccount } from '../../../shared/security.ts';
import type { Identity, VerifiableAddress } from '../../api/identities.ts';
import { UnlockDialog } from '../../record/unlock-dialog.tsx';
import { ChangeState } from './change-state.tsx';
import { DeleteIdentity } from './delete-identity.tsx';
import { MarkVerified } from './mark-verified.tsx';
import { RecoveryDialog } from './recovery-dialog.tsx';
import { RevokeSessions } from './sessions-tab.tsx';
import { SignOutEverywhere } from './sign-out-everywhere.tsx';

const DIALOGS = {
  recovery: RecoveryDialog,
  endSessions: RevokeSessions,
  signOutEverywhere: SignOutEverywhere,
  changeState: ChangeState,
  delete: DeleteIdentity,
};

export type IdentityDialogName = keyof typeof DIALOGS;

/** What can be done to an identity on its page, in one file that is loaded with the first dialog. */
export function IdentityDialog(
  props: { identity: Identity; onClose: () => void } & (
    | { name: IdentityDialogName }
    | { name: 'verify'; address: VerifiableAddress }
    | { name: 'unlock'; account: LockedAccount }
  ),
) {
  const { identity, onClose } = props;
  if (props.name === 'verify') return <MarkVerified identity={identity} address={props.address} onClose={onClose} />;
  if (props.name === 'unlock') return <UnlockDialog account={props.account} onClose={onClose} />;
  const Dialog = DIALOGS[props.name];
  return <Dialog identity={identity} onClose={onClose} />;
}
