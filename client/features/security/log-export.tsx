import { Box } from '@mantine/core';
import { type ReactNode, useRef, useState } from 'react';
import { deployment } from '../../deployment.ts';
import { csvHeader, csvLine } from '../../lib/files.ts';
import { counted } from '../../lib/format-count.ts';
import { ExportProgress, type ReadPage, type RowWriter, startExport, useExport } from '../../list/export.tsx';
import { Options } from '../../list/filter-panel.tsx';
import { PopoverButton, PopoverPanel } from '../../list/toolbar.tsx';
import { FocusOnChange } from '../../ui/hooks.tsx';
import { IconDownload } from '../../ui/shell-icons.tsx';

interface Log<T> {
  /** Begins the name of the file. */
  subject: string;
  /** Singular and plural of a row. */
  one: string;
  many: string;
  /** Whether no filter is set. */
  isAll: boolean;
  /** The number of rows, if known. */
  total?: number | undefined;
  /** Called at the start of an export: “the last hour” must mean the same period for all pages of the file. */
  pages: () => ReadPage<T>;
  writers: Record<'csv' | 'ndjson', RowWriter<T>>;
}

/** Exports the rows that match the filters in the URL, page by page, to one file. */
export function useLogExport<T>(log: Log<T>): { button: ReactNode; progress: ReactNode } {
  const [open, setOpen] = useState(false);
  const exporting = useExport();
  const total = useRef<number>(undefined);
  const { state } = exporting;
  const start = (format: string): void => {
    total.current = log.total;
    const writer = log.writers[format === 'csv' ? 'csv' : 'ndjson'];
    exporting.start(startExport(writer, log.pages()), { subject: `${log.subject}-${deployment}`, extension: format });
    setOpen(false);
  };
  const which = `${log.isAll ? 'all' : 'matching'} ${log.many}`;
  const button = (
    <PopoverButton
      aria-label="Export…"
      title="Export…"
      open={open}
      setOpen={setOpen}
      reason={state.step === 'run' ? 'An export is running.' : undefined}
      panel={() => (
        <PopoverPanel label="Export">
          <Options
            label="Export"
            options={[
              { value: 'csv', label: `Export ${which} as CSV` },
              { value: 'ndjson', label: `Export ${which} as NDJSON` },
            ]}
            onChoose={start}
          />
        </PopoverPanel>
      )}
    >
      <IconDownload />
    </PopoverButton>
  );
  const progress = (
    <FocusOnChange of={state.step}>
      {state.step !== 'ready' && (
        <Box mb="sm">
          <ExportProgress
            exporting={exporting}
            state={state}
            total={total.current}
            read={(count) => counted(count, `${log.one} was`, `${log.many} were`)}
          />
        </Box>
      )}
      {exporting.leaving}
    </FocusOnChange>
  );
  return { button, progress };
}

/** @param columns of the CSV, by their headings @param inWords the sentence that a row of NDJSON has as well */
export const rowWriters = <T,>(
  columns: Record<string, (row: T) => string | number>,
  inWords: (row: T) => string,
): Log<T>['writers'] => ({
  csv: {
    start: csvHeader(Object.keys(columns)),
    write: (row) => csvLine(Object.values(columns).map((cell) => cell(row))),
  },
  ndjson: { start: '', write: (row) => `${JSON.stringify({ ...row, in_words: inWords(row) })}\n` },
});
