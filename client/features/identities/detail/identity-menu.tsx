import type { Identity } from '../../../api/identities-record.ts';
import { ActionMenu } from '../../../resource/detail/action-menu.tsx';
import { IconDoorExit, IconKey, IconTrash, IconUserCheck, IconUserOff } from '../../../resource/icons.ts';
import { IconLogout } from '../../../ui/icons.ts';
import { lazyDialog } from '../../../ui/loading/lazy-part.tsx';

const ChangeState = lazyDialog(() => import('./change-state.tsx'), 'ChangeState');
const DeleteIdentity = lazyDialog(() => import('./delete-identity.tsx'), 'DeleteIdentity');
const RecoveryDialog = lazyDialog(() => import('./recovery-dialog.tsx'), 'RecoveryDialog');
const SignOutEverywhere = lazyDialog(() => import('./sign-out-everywhere.tsx'), 'SignOutEverywhere');
const RevokeSessions = lazyDialog(() => import('./revoke-sessions.tsx'), 'RevokeSessions');

export function IdentityMenu({ identity }: { identity: Identity }) {
  const active = identity.state === 'active';
  return (
    <ActionMenu
      subject={{ identity }}
      actions={[
        { label: 'Recovery code or link…', icon: IconKey, dialog: RecoveryDialog },
        { label: 'End all sessions…', icon: IconLogout, dialog: RevokeSessions },
        { label: 'Sign this person out everywhere…', icon: IconDoorExit, dialog: SignOutEverywhere },
        active
          ? { label: 'Deactivate…', icon: IconUserOff, dialog: ChangeState }
          : { label: 'Activate…', icon: IconUserCheck, dialog: ChangeState },
        { label: 'Delete…', icon: IconTrash, final: true, dialog: DeleteIdentity },
      ]}
    />
  );
}
