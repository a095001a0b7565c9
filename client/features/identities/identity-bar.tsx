import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { ListedIdentity } from '../../../shared/identities.ts';
import { bulkActions } from '../../list/bulk-actions.tsx';
import type { Selection } from '../../list/selection.tsx';
import { IconDownload, IconLogout, IconPlayerPause, IconPlayerPlay, IconTrash } from '../../ui/icons.tsx';
import { lazyPart } from '../../ui/lazy-part.tsx';
import { type IdentitiesSearch, isBySignIn, parseIdentitiesSearch } from './identity-query.ts';

const SaveRowsDialog = lazyPart(() => import('./transfer/save-rows-dialog.tsx'), 'SaveRowsDialog');

const identityActs = bulkActions(
  {
    deactivate: { label: 'Deactivate', icon: IconPlayerPause },
    activate: { label: 'Activate', icon: IconPlayerPlay },
    endSessions: { label: 'End sessions', icon: IconLogout },
    delete: { label: 'Delete', icon: IconTrash },
  },
  () => import('./identity-acts.ts'),
);

const NO_PROOF =
  'Delete is not offered for people selected by sign-in: sessions do not prove when somebody last signed in.';

/**
 * What can be done to the selected identities, or to all that match.
 * @param props.search of the current page
 * @param props.total how many match; null if they are not counted, undefined without an index, which finds all that match
 */
export function IdentityBar(props: {
  selection: Selection<ListedIdentity>;
  search: IdentitiesSearch;
  total: number | null | undefined;
}) {
  const { selection, search, total } = props;
  return identityActs(
    selection,
    total === undefined ? undefined : { search, total, refused: isBySignIn(search) ? { delete: NO_PROOF } : {} },
    selection.all ? <ExportAll search={search} /> : <SaveRows selection={selection} />,
  );
}

const ExportAll = ({ search }: { search: IdentitiesSearch }) => (
  <Button
    size="xs"
    variant="default"
    leftSection={<IconDownload size={14} />}
    renderRoot={(props) => (
      <Link {...props} to="/identities/export" search={parseIdentitiesSearch({ ...search }) as never} preload={false} />
    )}
  >
    Export
  </Button>
);

function SaveRows({ selection }: { selection: Selection<ListedIdentity> }) {
  const [ids, setIds] = useState<readonly string[]>();
  return (
    <>
      <Button
        size="xs"
        variant="default"
        leftSection={<IconDownload size={14} />}
        onClick={() => setIds(selection.rows.map(({ id }) => id))}
      >
        Save CSV
      </Button>
      {ids !== undefined && <SaveRowsDialog ids={ids} onClose={() => setIds(undefined)} />}
    </>
  );
}
