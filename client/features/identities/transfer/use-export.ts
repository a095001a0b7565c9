import { type ReactNode, useEffect, useMemo, useRef, useState } from 'react';
import { readStoredPage } from '../../../api/identity-batches.ts';
import type { IdentitySchema } from '../../../api/identity-schemas.ts';
import { deployment } from '../../../deployment.ts';
import type { Failure } from '../../../ui/failure-panel.tsx';
import { fileName, saveFile } from '../../../ui/save-file.ts';
import { parseExactJson } from './exact-json.ts';
import { type ExportColumn, exportColumns } from './export-columns.ts';
import { type Export, startExport } from './export-run.ts';
import type { TransferFormat } from './transfer-file.ts';
import { useLeaveQuestion } from './use-leave-question.tsx';
import { csvWriter, ndjsonWriter } from './write-identities.ts';

export type ExportState =
  | { step: 'ready' }
  | { step: 'run'; count: number }
  | { step: 'end'; how: 'complete' | 'cancelled' | 'stopped'; count: number; failure?: Failure };

export interface Exporting {
  state: ExportState;
  /** All that it may hold. */
  columns: readonly ExportColumn[];
  /** The question that stands before a page is left under it. */
  leaving: ReactNode;
  start(format: TransferFormat, columns: readonly ExportColumn[]): void;
  /** After an end that was not the last page. */
  goOn(): void;
  cancel(): void;
  /** Hands over what was read so far. */
  save(): void;
  reset(): void;
}

export function useExport(schemas: readonly IdentitySchema[]): Exporting {
  const [state, setState] = useState<ExportState>({ step: 'ready' });
  const current = useRef<{ exporting: Export; format: TransferFormat }>(undefined);
  const controller = useRef<AbortController>(undefined);
  useEffect(() => () => controller.current?.abort(), []);
  const leaving = useLeaveQuestion(state.step === 'run', 'export');
  const columns = useMemo(() => exportColumns(schemas.map(({ schema }) => schema)), [schemas]);

  const run = async (): Promise<void> => {
    const { exporting } = current.current ?? {};
    if (exporting === undefined || controller.current !== undefined) return;
    const underWay = new AbortController();
    controller.current = underWay;
    const show = (count: number) => setState({ step: 'run', count });
    show(exporting.count());
    const ended = await exporting.run(underWay.signal, show).catch((error: Error) => error);
    controller.current = undefined;
    const count = exporting.count();
    if (ended instanceof Error) setState({ step: 'end', how: 'stopped', count, failure: ended });
    else setState({ step: 'end', how: ended, count });
    if (ended === 'complete') save('');
  };
  const save = (part: '' | '-part'): void => {
    if (current.current === undefined) return;
    const { exporting, format } = current.current;
    saveFile(fileName(`identities-${deployment}${part}`, format), exporting.file());
  };

  return {
    state,
    columns,
    leaving,
    start(format, chosen) {
      const writer = format === 'csv' ? csvWriter(chosen) : ndjsonWriter(chosen.map(({ name }) => name));
      const exporting = startExport(writer, (token, signal) => readStoredPage(token, parseExactJson, signal));
      current.current = { exporting, format };
      void run();
    },
    goOn: () => void run(),
    cancel: () => controller.current?.abort(),
    save: () => save(state.step === 'end' && state.how === 'complete' ? '' : '-part'),
    reset: () => setState({ step: 'ready' }),
  };
}
