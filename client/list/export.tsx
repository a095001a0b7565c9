import { Button, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import type { CursorPage } from '../api/cursor-page.ts';
import { type BackOff, withBackOff } from '../api/polling.ts';
import { fileName, saveFile } from '../lib/files.ts';
import { counted } from '../lib/format-count.ts';
import { useConfirmLeave } from '../ui/confirm-leave.tsx';
import { type Failure, FailurePanel } from '../ui/failure-panel.tsx';
import { RunProgress } from '../ui/loading.tsx';

const TITLES = {
  complete: 'The export is complete',
  cancelled: 'The export was cancelled',
  stopped: 'The export has stopped',
} as const;

/**
 * A running or finished export, with its progress or outcome and the next actions.
 * @param total number of rows, if known
 * @param read noun and verb for the rows read, as in "3 identities were"
 */
export function ExportProgress(props: {
  exporting: Exporting;
  state: Exclude<ExportState, { step: 'ready' }>;
  total: number | undefined;
  read: (count: number) => string;
}) {
  const { exporting, state, total } = props;
  if (state.step === 'run') {
    return (
      <Paper withBorder p="md">
        <RunProgress
          label="Exporting"
          done={state.count + state.leftOut}
          total={total}
          note={total === undefined ? 'The total is unknown.' : undefined}
          onCancel={exporting.cancel}
        />
      </Paper>
    );
  }
  return (
    <Stack gap="md">
      {state.failure !== undefined && <FailurePanel title={TITLES.stopped} error={state.failure} />}
      <Paper withBorder p="md">
        <Stack gap="md">
          <Title order={2} size="h4">
            {TITLES[state.how]}
          </Title>
          <Text size="sm">
            {props.read(state.count)} read.
            {state.leftOut > 0 &&
              ` ${counted(state.leftOut, 'no longer matches and is', 'no longer match and are')} left out.`}
            {state.how === 'complete' && ' The file is in this browser’s downloads.'}
          </Text>
          {state.missing !== undefined && (
            <Text size="sm" fw={500}>
              {state.missing}
            </Text>
          )}
          <EndButtons exporting={exporting} how={state.how} />
        </Stack>
      </Paper>
    </Stack>
  );
}

function EndButtons({ exporting, how }: { exporting: Exporting; how: keyof typeof TITLES }) {
  return (
    <Group gap="xs">
      {how !== 'complete' && <Button onClick={exporting.goOn}>Continue</Button>}
      <Button variant="default" onClick={exporting.save}>
        {how === 'complete' ? 'Save again' : 'Save partial file'}
      </Button>
      <Button variant="default" onClick={exporting.reset}>
        Start another export
      </Button>
    </Group>
  );
}

/** Serializes rows into a file. */
export interface RowWriter<T> {
  /** Text before the first row; may be empty. */
  start: string;
  write(row: T): string;
}

export type ReadPage<T> = (
  token: string | undefined,
  signal: AbortSignal,
) => Promise<
  CursorPage<T> & {
    /** Rows that were to be in it and no longer match. */
    leftOut?: number;
    /** A warning: which rows may be missing. */
    missing?: string | undefined;
  }
>;

export interface Export {
  /**
   * Reads page after page, one at a time. After a failure or a cancellation it can be called again to continue.
   * @throws the error of a page after all retries
   */
  run(signal: AbortSignal, onProgress: (rows: number) => void): Promise<'complete' | 'cancelled'>;
  /** Rows so far. */
  count(): number;
  /** Rows so far that were left out. */
  leftOut(): number;
  /** A warning: which rows may be missing. */
  missing(): string | undefined;
  /** The file so far. */
  file(): Blob;
}

/** @param readPage reads one page; without a token, the first */
export function startExport<T>(writer: RowWriter<T>, readPage: ReadPage<T>, wait?: BackOff['wait']): Export {
  // Each page becomes a Blob, which the browser may keep on disk.
  const parts: Blob[] = [new Blob([writer.start])];
  const walked = new Set<string>();
  let token: string | undefined;
  let count = 0;
  let leftOut = 0;
  let missing: string | undefined;
  let complete = false;
  return {
    count: () => count,
    leftOut: () => leftOut,
    missing: () => missing,
    file: () => new Blob(parts),
    async run(signal, onProgress) {
      while (!complete && !signal.aborted) {
        const page = await withBackOff(() => readPage(token, signal), { signal, wait }).catch((error: unknown) => {
          if (signal.aborted) return undefined;
          throw error;
        });
        if (page === undefined) return 'cancelled';
        // A repeated cursor would loop forever.
        if (page.next !== undefined && (page.next === token || walked.has(page.next)))
          throw new Error('The service repeats its pages; the export cannot continue.');
        parts.push(new Blob([page.rows.map((row) => writer.write(row)).join('')]));
        count += page.rows.length;
        leftOut += page.leftOut ?? 0;
        missing = page.missing;
        onProgress(count);
        token = page.next;
        complete = token === undefined;
        if (token !== undefined) walked.add(token);
      }
      return complete ? 'complete' : 'cancelled';
    },
  };
}

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
  const leaving = useConfirmLeave(() => state.step === 'run', 'export');

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
