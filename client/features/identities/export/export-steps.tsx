import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { identityTotalQuery } from '../../../api/identities.ts';
import { readStoredPage } from '../../../api/identity-batches.ts';
import { matchCountQuery } from '../../../api/identity-matches.ts';
import type { IdentitySchema } from '../../../api/identity-schemas.ts';
import { deployment } from '../../../deployment.ts';
import { counted } from '../../../format/counted.ts';
import { parseExactJson } from '../../../lib/exact-json.ts';
import { ExportProgress } from '../../../resource/export/export-progress.tsx';
import { startExport } from '../../../resource/export/export-run.ts';
import { useExport } from '../../../resource/export/use-export.ts';
import { FocusOnChange } from '../../../ui/hooks/focus-on-change.tsx';
import { fixedQuestion } from '../fixed-question.ts';
import { type IdentitiesSearch, isBySignIn } from '../identity-question.ts';
import type { TransferFormat } from '../transfer/transfer-file.ts';
import { ExportChoice } from './export-choice.tsx';
import { type ExportColumn, exportColumns } from './export-columns.ts';
import { ExportScope, isTooMany } from './export-scope.tsx';
import { pagesThatMatch } from './export-source.ts';
import { csvWriter, ndjsonWriter } from './write-identities.ts';

/** @param search who is exported; undefined for everybody */
export function ExportSteps(props: { schemas: readonly IdentitySchema[]; search: IdentitiesSearch | undefined }) {
  const { schemas, search } = props;
  const exporting = useExport();
  const [{ words, params }] = useState(() => fixedQuestion(search ?? {}, Date.now()));
  const { data: all } = useQuery({ ...identityTotalQuery, enabled: search === undefined });
  const { data: some } = useQuery({ ...matchCountQuery(params), enabled: search !== undefined });
  const total = search === undefined ? (all?.total ?? undefined) : some?.count;
  const { state } = exporting;
  const columns = useMemo(() => exportColumns(schemas.map(({ schema }) => schema)), [schemas]);
  const start = (format: TransferFormat, chosen: readonly ExportColumn[], raw: boolean): void => {
    const writer = format === 'csv' ? csvWriter(chosen, { raw }) : ndjsonWriter(chosen.map(({ name }) => name));
    exporting.start(
      startExport(
        writer,
        search === undefined
          ? (token, signal) => readStoredPage(token, parseExactJson, signal)
          : pagesThatMatch(search),
      ),
      { subject: `identities-${deployment}`, extension: format },
    );
  };
  return (
    <FocusOnChange of={state.step}>
      {state.step === 'ready' ? (
        <>
          {search !== undefined && <ExportScope search={search} words={words} total={total} />}
          <ExportChoice
            columns={columns}
            scope={search === undefined ? 'all' : isBySignIn(search) ? 'by-sign-in' : 'matching'}
            onStart={search !== undefined && isTooMany(total) ? undefined : start}
          />
        </>
      ) : (
        <ExportProgress
          exporting={exporting}
          state={state}
          total={total}
          read={(count) => counted(count, 'identity was', 'identities were')}
        />
      )}
      {exporting.leaving}
    </FocusOnChange>
  );
}
