import { type ReactNode, useEffect, useRef, useState } from 'react';
import { fileName, saveFile } from '../../lib/save-file.ts';
import type { Failure } from '../../ui/feedback/failure-panel.tsx';
import { useLeaveQuestion } from '../leave-question.tsx';
import type { Export } from './export-run.ts';

export type ExportState =
  | { step: 'ready' }
  | ({ step: 'run' } & Rows)
  | ({ step: 'end'; how: 'complete' | 'cancelled' | 'stopped'; failure?: Failure } & Rows);

/** Rows so far. */
interface Rows {
  count: number;
  /** Those that no longer match. */
  leftOut: number;
  /** A warning: which may be missing. */
  missing: string | undefined;
}

/** Names the file: `subject`, the time and the extension. */
export interface ExportFile {
  subject: string;
  extension: string;
}

export interface Exporting {
  state: ExportState;
  /** The dialog that asks before the page is left during an export. */
  leaving: ReactNode;
  start(exporting: Export, file: ExportFile): void;
  /** Continues after a run that did not reach the last page. */
  goOn(): void;
  cancel(): void;
  /** Saves what has been read so far. */
  save(): void;
  reset(): void;
}

/** Runs one export at a time and saves its file once complete. It is cancelled with the component. */
export function useExport(): Exporting {
  const [state, setState] = useState<ExportState>({ step: 'ready' });
  const current = useRef<{ exporting: Export; file: ExportFile }>(undefined);
  const controller = useRef<AbortController>(undefined);
  useEffect(() => () => controller.current?.abort(), []);
  const leaving = useLeaveQuestion(state.step === 'run', 'export');

  const run = async (): Promise<void> => {
    const { exporting } = current.current ?? {};
    if (exporting === undefined || controller.current !== undefined) return;
    const underWay = new AbortController();
    controller.current = underWay;
    const rows = (): Rows => ({
      count: exporting.count(),
      leftOut: exporting.leftOut(),
      missing: exporting.missing(),
    });
    const show = () => setState({ step: 'run', ...rows() });
    show();
    const ended = await exporting.run(underWay.signal, show).catch((error: Error) => error);
    controller.current = undefined;
    if (ended instanceof Error) setState({ step: 'end', how: 'stopped', failure: ended, ...rows() });
    else setState({ step: 'end', how: ended, ...rows() });
    if (ended === 'complete') save('');
  };
  const save = (part: '' | '-part'): void => {
    if (current.current === undefined) return;
    const { exporting, file } = current.current;
    saveFile(fileName(`${file.subject}${part}`, file.extension), exporting.file());
  };

  return {
    state,
    leaving,
    start(exporting, file) {
      current.current = { exporting, file };
      void run();
    },
    goOn: () => void run(),
    cancel: () => controller.current?.abort(),
    save: () => save(state.step === 'end' && state.how === 'complete' ? '' : '-part'),
    reset: () => setState({ step: 'ready' }),
  };
}
