import { Button, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { pageWalk } from '../../shared/page-walk.ts';
import type { CursorPage } from '../api/cursor-page.ts';
import { type BackOff, withBackOff } from '../api/polling.ts';
import { reworded } from '../api/request.ts';
import { fileName, saveFile } from '../lib/files.ts';
import { counted } from '../lib/format-count.ts';
import { useConfirmLeave } from '../ui/confirm-leave.tsx';
import { type Failure, FailurePanel } from '../ui/failure-panel.tsx';
import { useSingleFlight } from '../ui/hooks.tsx';
import { RunProgress } from '../ui/run-progress.tsx';

const TITLES = {
  complete: 'Export complete',
  cancelled: 'Export cancelled',
  stopped: 'Export stopped',
} as const;

/**
 * A running or finished export: progress or outcome, with the next actions.
 * @param total number of rows, if known
 * @param read the count with noun and verb: "3 identities were"
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
          done={state.rows + state.leftOut}
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
          <Title order={2}>{TITLES[state.how]}</Title>
          <Text size="sm">
            {props.read(state.rows)} exported.
            {state.leftOut > 0 &&
              ` ${counted(state.leftOut, 'no longer matches and is', 'no longer match and are')} left out.`}
            {state.how === 'complete' && ' The file is in your downloads.'}
          </Text>
          {state.missing !== undefined && (
            <Text size="sm" fw={500}>
              {state.missing}
            </Text>
          )}
          <Group gap="xs">
            {state.how !== 'complete' && <Button onClick={exporting.resume}>Continue</Button>}
            <Button variant="default" onClick={exporting.save}>
              {state.how === 'complete' ? 'Save again' : 'Save partial file'}
            </Button>
            <Button variant="default" onClick={exporting.reset}>
              Start another export
            </Button>
          </Group>
        </Stack>
      </Paper>
    </Stack>
  );
}

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
    /** How many rows no longer match, and so are not in the file. */
    leftOut?: number;
    /** A warning about rows that may be missing. */
    missing?: string | undefined;
  }
>;

interface Progress {
  rows: number;
  leftOut: number;
  missing: string | undefined;
}

export type Export = ReturnType<typeof startExport>;

/** @param readPage reads a page; the first page has no token */
export function startExport<T>(writer: RowWriter<T>, readPage: ReadPage<T>, wait?: BackOff['wait']) {
  // Each page becomes a Blob, which the browser can store on disk.
  const parts: Blob[] = [new Blob([writer.start])];
  const walk = pageWalk();
  let complete = false;
  let progress: Progress = { rows: 0, leftOut: 0, missing: undefined };
  return {
    progress: () => progress,
    file: () => new Blob(parts),
    /**
     * Reads all pages, one at a time. Call again to continue after a failure or a cancellation.
     * @throws the error of a page after all retries; EndlessList
     */
    async run(signal: AbortSignal, onProgress: (rows: number) => void): Promise<'complete' | 'cancelled'> {
      while (!complete && !signal.aborted) {
        const page = await withBackOff(() => readPage(walk.token, signal), { signal, wait }).catch((error: unknown) => {
          if (signal.aborted) return undefined;
          throw error;
        });
        if (page === undefined) return 'cancelled';
        const part = new Blob([page.rows.map((row) => writer.write(row)).join('')]);
        const { next, missing, leftOut = 0, mayBeEmpty } = page;
        // A page whose rows are all left out is not empty.
        complete = !walk.next(mayBeEmpty ? 1 : page.rows.length + leftOut, next);
        parts.push(part);
        progress = { rows: progress.rows + page.rows.length, leftOut: progress.leftOut + leftOut, missing };
        onProgress(progress.rows);
      }
      return complete ? 'complete' : 'cancelled';
    },
  };
}

type ExportState =
  | { step: 'ready' }
  | ({ step: 'run' } & Progress)
  | ({ step: 'end'; how: keyof typeof TITLES; failure?: Failure } & Progress);

/** The parts of the file's name, besides the time. */
interface ExportFile {
  subject: string;
  extension: string;
}

type Exporting = ReturnType<typeof useExport>;

/** Runs one export at a time and saves the file once complete. Unmounting cancels the export. */
export function useExport() {
  const [state, setState] = useState<ExportState>({ step: 'ready' });
  const current = useRef<{ exporting: Export; file: ExportFile }>(undefined);
  const controller = useRef<AbortController>(undefined);
  useEffect(() => () => controller.current?.abort(), []);
  const leaving = useConfirmLeave(() => state.step === 'run', 'export');

  const run = async (): Promise<void> => {
    const { exporting } = current.current ?? {};
    if (exporting === undefined || controller.current !== undefined) return;
    controller.current = new AbortController();
    const show = () => setState({ step: 'run', ...exporting.progress() });
    show();
    const ended = await exporting.run(controller.current.signal, show).catch((error: Error) => error);
    controller.current = undefined;
    const how = ended instanceof Error ? { how: 'stopped' as const, failure: ended } : { how: ended };
    setState({ step: 'end', ...how, ...exporting.progress() });
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
    start(exporting: Export, file: ExportFile): void {
      current.current = { exporting, file };
      void run();
    },
    resume: () => void run(),
    cancel: () => controller.current?.abort(),
    /** Saves the rows so far, even if incomplete. */
    save: () => save(state.step === 'end' && state.how === 'complete' ? '' : '-part'),
    reset: () => setState({ step: 'ready' }),
  };
}

export interface SaveFirst {
  /** What the file contains and lacks, and how to restore records from it. */
  about: string;
  /**
   * Saves the records that still exist; without any, there is no file.
   * @param onProgress called with the number of records so far
   * @throws an error that says that nothing was deleted; also on cancellation
   */
  save(ids: readonly string[], signal: AbortSignal, onProgress: (read: number) => void): Promise<void>;
}

/**
 * @param how.subject the beginning of the file name
 * @param how.pagesOf reads the records with these ids
 */
export const saveFirst = <T,>(how: {
  about: string;
  subject: string;
  writer: RowWriter<T>;
  pagesOf: (ids: readonly string[]) => ReadPage<T>;
}): SaveFirst => ({
  about: how.about,
  async save(ids, signal, onProgress) {
    const exporting = startExport(how.writer, how.pagesOf(ids));
    const ended = await exporting.run(signal, onProgress).catch((error: Error) => {
      throw reworded(error, `Not saved, so nothing was deleted: ${error.message}`);
    });
    if (ended === 'cancelled') throw new Error('Cancelled: nothing was saved or deleted.');
    if (exporting.progress().rows > 0) saveFile(fileName(how.subject, 'ndjson'), exporting.file());
  },
});

/** @returns `read`: the number of records read so far; undefined unless saving */
export function useSaveFirst(saveFirst: SaveFirst | undefined, items: readonly { id: string }[]) {
  const { run, failure } = useSingleFlight();
  const [read, setRead] = useState<number>();
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);
  return {
    read,
    failure,
    /** @param then called after saving, even if no record exists any more; never after a failure */
    start: (then: () => void): void =>
      void run(async () => {
        running.current = new AbortController();
        setRead(0);
        const ids = items.map(({ id }) => id);
        await saveFirst?.save(ids, running.current.signal, setRead).finally(() => setRead(undefined));
        then();
      }),
    cancel: () => running.current?.abort(),
  };
}
