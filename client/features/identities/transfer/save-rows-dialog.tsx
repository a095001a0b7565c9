import { Modal } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useId } from 'react';
import { identitySchemasQuery } from '../../../api/identity-schemas.ts';
import { deployment } from '../../../deployment.ts';
import { fileName, saveFile } from '../../../lib/files.ts';
import { counted } from '../../../lib/format-count.ts';
import { startExport } from '../../../list/export.tsx';
import { FailurePanel } from '../../../ui/failure-panel.tsx';
import { RunProgress } from '../../../ui/loading.tsx';
import { toast } from '../../../ui/toasts.tsx';
import { csvWriter, exportColumns, pagesOf } from './export-identities.tsx';

/** Saves identities with all columns of an export, then closes; it stays if that fails. */
export function SaveRowsDialog({ ids, onClose }: { ids: readonly string[]; onClose: () => void }) {
  const queryClient = useQueryClient();
  const { data, error, refetch } = useQuery({
    queryKey: ['chosen identities', useId()],
    queryFn: async ({ signal }) => {
      const { schemas } = await queryClient.ensureQueryData(identitySchemasQuery);
      const exporting = startExport(csvWriter(exportColumns(schemas.map(({ schema }) => schema))), pagesOf(ids));
      await exporting.run(signal, () => {});
      return exporting;
    },
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    retry: false,
  });
  useEffect(() => {
    if (data === undefined) return;
    saveFile(fileName(`identities-${deployment}`, 'csv'), data.file());
    const gone = data.leftOut() === 0 ? '' : `; ${data.leftOut()} no longer there`;
    toast(`${counted(data.count(), 'identity', 'identities')} saved${gone}`);
    onClose();
  }, [data, onClose]);
  return (
    <Modal opened onClose={onClose} title={`Save ${counted(ids.length, 'identity', 'identities')} as CSV`}>
      {error === null ? (
        <RunProgress label="Reading" done={0} total={undefined} onCancel={onClose} />
      ) : (
        <FailurePanel title="Nothing was saved" error={error} onRetry={() => void refetch()} />
      )}
    </Modal>
  );
}
