import { Button } from '@mantine/core';
import { IconLogout, IconPlayerPause, IconPlayerPlay, IconTrash } from '@tabler/icons-react';
import { lazyRouteComponent } from '@tanstack/react-router';
import { Suspense, useState } from 'react';
import type { ListedIdentity } from '../../../../shared/identities.ts';
import type { BulkActName } from './bulk-acts.ts';

// What is behind the buttons is loaded with the first click: most visits to the list change nothing.
const BulkDialog = lazyRouteComponent(() => import('./bulk-dialog.tsx'), 'BulkDialog');

const BUTTONS: readonly { name: BulkActName; label: string; icon: typeof IconTrash }[] = [
  { name: 'deactivate', label: 'Deactivate', icon: IconPlayerPause },
  { name: 'activate', label: 'Activate', icon: IconPlayerPlay },
  { name: 'endSessions', label: 'End sessions', icon: IconLogout },
  { name: 'delete', label: 'Delete', icon: IconTrash },
];

/**
 * What can be done to the chosen identities.
 * @param onDone the ids of those to whom it was not done, when the dialog is closed
 */
export function BulkActions(props: { identities: readonly ListedIdentity[]; onDone: (failedIds: string[]) => void }) {
  const [open, setOpen] = useState<{ name: BulkActName; identities: readonly ListedIdentity[] }>();
  return (
    <>
      {BUTTONS.map(({ name, label, icon: Icon }) => (
        <Button
          key={name}
          size="xs"
          variant="default"
          leftSection={<Icon size={14} aria-hidden />}
          onClick={() => setOpen({ name, identities: props.identities })}
        >
          {label}
        </Button>
      ))}
      {open !== undefined && (
        <Suspense>
          <BulkDialog
            name={open.name}
            identities={open.identities}
            onClose={(failedIds) => {
              setOpen(undefined);
              if (failedIds !== undefined) props.onDone(failedIds);
            }}
          />
        </Suspense>
      )}
    </>
  );
}
