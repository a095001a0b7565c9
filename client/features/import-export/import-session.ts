import type { SchemaList } from '../../api/identity-schemas.ts';
import type { BackOff } from '../../api/polling.ts';
import { createStore } from '../../lib/store.ts';
import type { TraitsCheck } from '../../record/traits-check.ts';
import type { Failure } from '../../ui/failure-panel.tsx';
import {
  type CheckedIdentity,
  checkFile,
  type IdentityChecker,
  identityChecker,
  overridden,
} from './check-identity.ts';
import { namesColumns, type TableBeginning } from './columns.ts';
import { matchingSchema } from './guess-columns.ts';
import {
  importReport,
  notCreatedSample,
  problemsReport,
  type RunReport,
  reportLines,
  resultCells,
} from './import-reports.ts';
import {
  countOutcomes,
  type createIdentities,
  fingerprintOf,
  type ImportProgress,
  type OutcomeRuns,
  type ProgressStorage,
  progressStore,
  runImport,
  withOutcomes,
} from './import-run.ts';
import { type Inspection, inspectIdentities } from './inspect-identities.ts';
import { beginningOf, type FileReading } from './read-identities.ts';
import type { FileOptions } from './row-record.ts';
import { formatOf } from './transfer-file.ts';

export type ImportStep =
  | { step: 'choose'; failure?: Failure }
  /** The column names are unknown, so the operator maps them. */
  | { step: 'map'; beginning: TableBeginning }
  | { step: 'check'; checked: number }
  | { step: 'review'; inspection: Inspection; earlier: ImportProgress | undefined }
  | { step: 'run'; total: number; outcomes: OutcomeRuns; note: string | undefined }
  | { step: 'end'; how: 'complete' | 'cancelled' | 'stopped'; total: number; outcomes: OutcomeRuns; failure?: Failure };

/** The operator's choices for a file. The schema applies to identities that name none. */
interface ImportOptions extends FileOptions {
  schemaId: string | undefined;
  /** Undefined if the passwords do not look like hashes. */
  leaveOutHashes?: boolean | undefined;
}

interface ReadyFile {
  file: File;
  reading: FileReading;
  checker: IdentityChecker;
  fingerprint: string;
  total: number;
}

interface ImportSessionDeps {
  known: SchemaList;
  schemaId: string | undefined;
  create: typeof createIdentities;
  storage: ProgressStorage | undefined;
  /** Called after each run, when cached lists are stale. */
  onEnd?: () => void;
  now?: () => number;
  wait?: BackOff['wait'];
  traitsCheck?: TraitsCheck;
}

export type ImportSession = ReturnType<typeof createImportSession>;

export function createImportSession(deps: ImportSessionDeps) {
  const { known, now = Date.now } = deps;
  const store = progressStore(deps.storage, now);
  const { get: current, set: show, subscribe, use } = createStore<ImportStep>({ step: 'choose' });
  let file: File | undefined;
  let options: ImportOptions = { schemaId: deps.schemaId };
  let beginning: TableBeginning | undefined;
  let ready: ReadyFile | undefined;
  let override = false;
  let notCreated = notCreatedSample();
  let report: RunReport | undefined;
  let outcomes: OutcomeRuns = [];
  let controller = new AbortController();

  function readyFile(): ReadyFile {
    if (ready === undefined) throw new Error('a file is chosen first');
    return ready;
  }
  const identities = ({ file, reading, checker } = readyFile()): AsyncIterable<CheckedIdentity> =>
    checkFile(file, reading, checker);

  async function check(chosen: File, isNew: boolean): Promise<void> {
    controller.abort();
    controller = new AbortController();
    const { signal } = controller;
    show({ step: 'check', checked: 0 });
    try {
      if (isNew) {
        const schemaId = (await matchingSchema(chosen, known)) ?? options.schemaId;
        if (signal.aborted) return;
        file = chosen;
        options = { schemaId };
      }
      const { schemaId, leaveOutHashes, ...fileOptions } = options;
      const format = await formatOf(chosen);
      const head = await beginningOf(chosen, format, fileOptions.names);
      if (signal.aborted) return;
      beginning = head;
      const checker = identityChecker(known, schemaId, deps.traitsCheck, leaveOutHashes);
      if (fileOptions.mapping === undefined && head.samples.length > 0 && !namesColumns(head.header, checker.columns))
        return show({ step: 'map', beginning: head });
      const reading = { ...fileOptions, format, header: head.header };
      const inspection = await inspectIdentities(
        checkFile(chosen, reading, checker),
        { signal, onProgress: (checked) => !signal.aborted && show({ step: 'check', checked }) },
        head.header,
      );
      if (signal.aborted) return;
      if (inspection.hasDigests && leaveOutHashes === undefined) return change({ leaveOutHashes: true });
      const { total } = inspection;
      const fingerprint = await fingerprintOf(chosen);
      if (signal.aborted) return;
      if (total === 0) throw new Error('This file contains no identities.');
      ready = { file: chosen, reading, checker, fingerprint, total };
      const earlier = store.find(fingerprint);
      show({ step: 'review', inspection, earlier: earlier?.total === total ? earlier : undefined });
    } catch (error) {
      if (!signal.aborted) show({ step: 'choose', failure: error as Error });
    }
  }

  async function change(changes: Partial<ImportOptions>): Promise<void> {
    options = { ...options, ...('mapping' in changes && { leaveOutHashes: undefined }), ...changes };
    if (file !== undefined) await check(file, false);
  }

  async function run(before: OutcomeRuns): Promise<void> {
    if (current().step === 'run') return;
    const { total, fingerprint, file } = readyFile();
    controller = new AbortController();
    const { signal } = controller;
    outcomes = before;
    const showRun = (note?: string) => show({ step: 'run', total, outcomes, note });
    showRun();
    const ended = await runImport({
      identities: override ? overridden(identities()) : identities(),
      done: countOutcomes(before).all,
      create: (identities) => deps.create(identities, file.name),
      signal,
      wait: deps.wait,
      onWait: ({ error, milliseconds }) =>
        showRun(`${error.message} Retrying in ${Math.ceil(milliseconds / 1_000)} s.`),
      onResults(results) {
        report ??= { from: countOutcomes(outcomes).all, lines: reportLines() };
        for (const result of results) report.lines.add(resultCells(result));
        notCreated.add(results);
        outcomes = withOutcomes(
          outcomes,
          results.map(({ outcome }) => outcome),
        );
        showRun(save({ fingerprint, total, outcomes, savedAt: now() }));
      },
    }).catch((error: Error) => error);
    deps.onEnd?.();
    if (ended instanceof Error) return show({ step: 'end', how: 'stopped', total, outcomes, failure: ended });
    if (ended === 'complete') store.remove(fingerprint);
    show({ step: 'end', how: ended, total, outcomes });
  }

  /** @returns a note if this browser cannot store the progress */
  function save(progress: ImportProgress): string | undefined {
    try {
      store.save(progress);
      return undefined;
    } catch {
      return 'This browser cannot store the progress. After a reload, the import would start from the beginning.';
    }
  }

  return {
    known,
    step: current,
    subscribe,
    useStep: use,
    /** Checks a new file, with the schema that matches its columns if there is one. */
    choose: (chosen: File) => check(chosen, true),
    file: () => file,
    options: () => options,
    change,
    /** During mapping, this only sets the schema: the check comes later. */
    async selectSchema(schemaId: string) {
      const step = current();
      if (step.step !== 'map') return change({ schemaId });
      options = { ...options, schemaId };
      show({ ...step });
    },
    /** Returns a function that goes back to the column mapping; undefined if the column names need no mapping. */
    mapAgain() {
      const head = beginning;
      if (options.mapping === undefined || head === undefined) return undefined;
      return () => show({ step: 'map', beginning: head });
    },
    /** What the operator should know about how the file is read. */
    note: () => beginning?.note,
    unfinished: store.all,
    /**
     * Starts at the first identity, or where an earlier import of the file stopped.
     * @param withOverridable also sends identities that only the check in this browser rejects
     */
    async start(from: 'beginning' | 'earlier', withOverridable = false) {
      const step = current();
      if (step.step === 'run') return;
      notCreated = notCreatedSample();
      report = undefined;
      override = withOverridable;
      const earlier = from === 'earlier' && step.step === 'review' ? step.earlier : undefined;
      await run(earlier?.outcomes ?? []);
    },
    resume: () => run(outcomes),
    /** Stops a check immediately, and a run after the current request. */
    cancel() {
      controller.abort();
      if (current().step === 'check') show({ step: 'choose' });
    },
    reset() {
      file = undefined;
      ready = undefined;
      options = { schemaId: options.schemaId };
      show({ step: 'choose' });
    },
    /** A sample of the outcomes other than `created`, since the last `start`. */
    notCreated: () => notCreated,
    report: () => importReport(identities(), outcomes, report),
    problems: () => problemsReport(identities()),
    identities: () => identities(),
    uniqueValues: () => readyFile().checker.uniqueValues,
  };
}
