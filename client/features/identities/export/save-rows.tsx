import { Button } from '@mantine/core';
import { useState } from 'react';
import type { ListedIdentity } from '../../../../shared/identities.ts';
import { IconDownload } from '../../../resource/icons.ts';
import type { Selection } from '../../../resource/list/use-selection.ts';
import { lazyPart } from '../../../ui/loading/lazy-part.tsx';

const SaveRowsDialog = lazyPart(() => import('./save-rows-dialog.tsx'), 'SaveRowsDialog');

/** Saves the chosen rows as CSV. */
export function SaveRows({ selection }: { selection: Selection<ListedIdentity> }) {
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
