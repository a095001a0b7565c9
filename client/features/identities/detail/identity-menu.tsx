import '@mantine/core/styles/Popover.layer.css';
import '@mantine/core/styles/Menu.layer.css';
import { ActionIcon, Menu } from '@mantine/core';
import { IconDots, IconKey, IconLogout, IconTrash, IconUserCheck, IconUserOff } from '@tabler/icons-react';
import { lazy, Suspense, useState } from 'react';
import type { Identity } from '../../../api/identities-record.ts';

const ChangeState = lazy(async () => ({ default: (await import('./change-state.tsx')).ChangeState }));
const DeleteIdentity = lazy(async () => ({ default: (await import('./delete-identity.tsx')).DeleteIdentity }));
const RecoveryDialog = lazy(async () => ({ default: (await import('./recovery-dialog.tsx')).RecoveryDialog }));
const RevokeSessions = lazy(async () => ({ default: (await import('./revoke-sessions.tsx')).RevokeSessions }));

type Dialog = 'recovery' | 'sessions' | 'state' | 'delete';

/** What is rare or cannot be taken back; each opens a dialog, which comes in a chunk of its own. */
export function IdentityMenu({ identity }: { identity: Identity }) {
  const [dialog, setDialog] = useState<Dialog>();
  const close = () => setDialog(undefined);
  const active = identity.state === 'active';
  return (
    <>
      <Menu position="bottom-end" withinPortal={false} withInitialFocusPlaceholder={false}>
        <Menu.Target>
          <ActionIcon variant="default" size={36} aria-label="More actions" title="More actions">
            <IconDots size={18} aria-hidden />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={<IconKey size={16} aria-hidden />} onClick={() => setDialog('recovery')}>
            Recovery code or link…
          </Menu.Item>
          <Menu.Item leftSection={<IconLogout size={16} aria-hidden />} onClick={() => setDialog('sessions')}>
            End all sessions…
          </Menu.Item>
          <Menu.Item
            leftSection={active ? <IconUserOff size={16} aria-hidden /> : <IconUserCheck size={16} aria-hidden />}
            onClick={() => setDialog('state')}
          >
            {active ? 'Deactivate…' : 'Activate…'}
          </Menu.Item>
          <Menu.Divider />
          <Menu.Item
            c="var(--mantine-color-error)"
            leftSection={<IconTrash size={16} aria-hidden />}
            onClick={() => setDialog('delete')}
          >
            Delete…
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <Suspense>
        {dialog === 'recovery' && <RecoveryDialog identity={identity} onClose={close} />}
        {dialog === 'sessions' && <RevokeSessions identity={identity} onClose={close} />}
        {dialog === 'state' && <ChangeState identity={identity} onClose={close} />}
        {dialog === 'delete' && <DeleteIdentity identity={identity} onClose={close} />}
      </Suspense>
    </>
  );
}
