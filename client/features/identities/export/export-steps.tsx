import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { identityTotalQuery } from '../../../api/identities.ts';
import { readStoredPage } from '../../../api/identity-batches.ts';
import type { IdentitySchema } from '../../../api/identity-schemas.ts';
import { deployment } from '../../../deployment.ts';
import { counted } from '../../../format/counted.ts';
import { ExportProgress } from '../../../resource/export/export-progress.tsx';
import { startExport } from '../../../resource/export/export-run.ts';
import { useExport } from '../../../resource/export/use-export.ts';
import { FocusOnChange } from '../../../ui/hooks/focus-on-change.tsx';
import { parseExactJson } from '../transfer/exact-json.ts';
import type { TransferFormat } from '../transfer/transfer-file.ts';
import { ExportChoice } from './export-choice.tsx';
import { type ExportColumn, exportColumns } from './export-columns.ts';
import { csvWriter, ndjsonWriter } from './write-identities.ts';

export function ExportSteps({ schemas }: { schemas: readonly IdentitySchema[] }) {
  const exporting = useExport();
  const { data } = useQuery(identityTotalQuery);
  const { state } = exporting;
  const columns = useMemo(() => exportColumns(schemas.map(({ schema }) => schema)), [schemas]);
  const start = (format: TransferFormat, chosen: readonly ExportColumn[]): void => {
    const writer = format === 'csv' ? csvWriter(chosen) : ndjsonWriter(chosen.map(({ name }) => name));
    exporting.start(
      startExport(writer, (token, signal) => readStoredPage(token, parseExactJson, signal)),
      { subject: `identities-${deployment}`, extension: format },
    );
  };
  return (
    <FocusOnChange of={state.step}>
      {state.step === 'ready' ? (
        <ExportChoice columns={columns} onStart={start} />
      ) : (
        <ExportProgress
          exporting={exporting}
          state={state}
          total={data?.total ?? undefined}
          read={(count) => counted(count, 'identity was', 'identities were')}
        />
      )}
      {exporting.leaving}
    </FocusOnChange>
  );
}
