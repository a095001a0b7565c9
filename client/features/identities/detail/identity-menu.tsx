import { IconKey, IconLogout, IconTrash, IconUserCheck, IconUserOff } from '@tabler/icons-react';
import { lazyRouteComponent } from '@tanstack/react-router';
import type { Identity } from '../../../api/identities-record.ts';
import { ActionMenu } from '../../../resource/detail/action-menu.tsx';

const ChangeState = lazyRouteComponent(() => import('./change-state.tsx'), 'ChangeState');
const DeleteIdentity = lazyRouteComponent(() => import('./delete-identity.tsx'), 'DeleteIdentity');
const RecoveryDialog = lazyRouteComponent(() => import('./recovery-dialog.tsx'), 'RecoveryDialog');
const RevokeSessions = lazyRouteComponent(() => import('./revoke-sessions.tsx'), 'RevokeSessions');

export function IdentityMenu({ identity }: { identity: Identity }) {
  const active = identity.state === 'active';
  return (
    <ActionMenu
      subject={{ identity }}
      actions={[
        { label: 'Recovery code or link…', icon: IconKey, dialog: RecoveryDialog },
        { label: 'End all sessions…', icon: IconLogout, dialog: RevokeSessions },
        active
          ? { label: 'Deactivate…', icon: IconUserOff, dialog: ChangeState }
          : { label: 'Activate…', icon: IconUserCheck, dialog: ChangeState },
        { label: 'Delete…', icon: IconTrash, final: true, dialog: DeleteIdentity },
      ]}
    />
  );
}
