import { Button } from '@mantine/core';
import { useState } from 'react';
import { isBySignIn } from '../../api/identity-filters.ts';
import { useCan } from '../../api/session.ts';
import { bulkActions } from '../../list/bulk-actions.tsx';
import { useList } from '../../list/cursor-list.ts';
import { LinkButton } from '../../ui/buttons.tsx';
import { lazyPart } from '../../ui/lazy-part.tsx';
import { IconDownload, IconLogout, IconPlayerPause, IconPlayerPlay, IconTrash } from '../../ui/shell-icons.tsx';
import { type FoundPageParams, type IdentityRow, parseIdentitiesSearch } from './identity-resource.ts';

const SaveRowsDialog = lazyPart(() => import('../import-export/export-identities.tsx'), 'SaveRowsDialog');

const SAVE = { size: 'xs', variant: 'default', leftSection: <IconDownload size={14} /> } as const;

function SaveRows({ ids }: { ids: readonly string[] }) {
  const [saved, setSaved] = useState<readonly string[]>();
  return (
    <>
      <Button {...SAVE} onClick={() => setSaved(ids)}>
        Save CSV…
      </Button>
      {saved !== undefined && <SaveRowsDialog ids={saved} onClose={() => setSaved(undefined)} />}
    </>
  );
}

const IdentityActs = bulkActions(
  {
    deactivate: { label: 'Deactivate', icon: IconPlayerPause, needs: 'identities.state' },
    activate: { label: 'Activate', icon: IconPlayerPlay, needs: 'identities.state' },
    endSessions: { label: 'End all sessions', icon: IconLogout, needs: 'sessions.end' },
    delete: { label: 'Delete', icon: IconTrash, deletes: true },
  },
  () => import('./identity-acts.ts'),
);

const NO_PROOF =
  'People selected by sign-in cannot be deleted in bulk: the known sessions do not prove when somebody last signed in.';

/** Bulk actions for the selected identities, or for all matches. Only the index can list all matches. */
export function IdentityBar() {
  const { selection, params, loaded } = useList<IdentityRow, FoundPageParams>();
  const search = loaded?.params ?? params;
  const total = loaded?.page.matches?.total;
  const mayExport = useCan()('upstreams.write');
  return (
    <IdentityActs
      matching={
        total === undefined ? undefined : { search, total, refused: isBySignIn(search) ? { delete: NO_PROOF } : {} }
      }
    >
      {mayExport &&
        (selection.all ? (
          <LinkButton {...SAVE} to="/identities/export" search={parseIdentitiesSearch({ ...search })}>
            Export
          </LinkButton>
        ) : (
          <SaveRows ids={selection.rows.map(({ id }) => id)} />
        ))}
    </IdentityActs>
  );
}
