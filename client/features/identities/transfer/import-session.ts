import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState, useSyncExternalStore } from 'react';
import { findByExternalId, identitiesChanged, identityTotalQuery } from '../../../api/identities.ts';
import { createIdentities, readStoredPage } from '../../../api/identity-batches.ts';
import { findByIdentifier } from '../../../api/identity-search.ts';
import type { BackOff } from '../../../api/polling.ts';
import { RequestError } from '../../../api/request.ts';
import { useConfirmLeave } from '../../../ui/confirm-leave.tsx';
import type { Failure } from '../../../ui/failure-panel.tsx';
import type { StateAnswers } from './account-state.ts';
import { type CheckedIdentity, checkFile, type IdentityChecker, withDoubtful } from './check-identity.ts';
import { type ColumnMapping, namesColumns } from './columns.ts';
import { browserStorage, type ImportProgress, type ProgressStorage, progressStore } from './import-progress.ts';
import {
  importReport,
  type OutcomesShown,
  outcomesShown,
  problemsReport,
  type RunReport,
  reportLines,
  resultCells,
} from './import-reports.ts';
import { countOutcomes, type ImportRun, type OutcomeRuns, runImport, withOutcomes } from './import-run.ts';
import {
  existingPeople,
  fingerprintOf,
  type Inspection,
  inspectIdentities,
  type PeopleStore,
} from './inspect-identities.ts';
import { beginningOf, type FileBeginning, type FileReading } from './read-identities.ts';
import { formatOf } from './transfer-file.ts';

export type ImportStep =
  | { step: 'choose'; failure?: Failure }
  /** The columns of a file do not have our names; with what they were said to mean before. */
  | { step: 'map'; file: File; beginning: FileBeginning; mapping?: ColumnMapping }
  | { step: 'check'; checked: number }
  | { step: 'review'; inspection: Inspection; earlier: ImportProgress | undefined; states: StateAnswers }
  | { step: 'run'; total: number; outcomes: OutcomeRuns; note: string | undefined; cancelled: boolean }
  | { step: 'end'; how: 'complete' | 'cancelled' | 'stopped'; total: number; outcomes: OutcomeRuns; failure?: Failure };

/** The import of one file, from choosing it to the report. */
export interface ImportSession {
  step(): ImportStep;
  subscribe(listener: () => void): () => void;
  /**
   * Reads and checks a file without sending anything; also used to recheck the same file with another checker.
   * @param said what the operator says of the file; kept while it stays the same
   */
  choose(file: File, checker: IdentityChecker, said?: SaidOfFile): Promise<void>;
  /** Returns to the column mapping; undefined when the file's header needs none. */
  mapAgain(): (() => void) | undefined;
  file(): File | undefined;
  /** From earlier runs in this browser. */
  unfinished(): ImportProgress[];
  /**
   * Starts from the first identity, or where an earlier run ended.
   * @param doubtful also sends identities to which only the schema objects
   */
  start(from: 'beginning' | 'earlier', doubtful?: boolean): Promise<void>;
  /** Continues after a run that did not reach the end of the file. */
  goOn(): Promise<void>;
  /** Stops a check at once, and a run after the current request. */
  cancel(): void;
  reset(): void;
  /** Outcomes other than `created` in this page's own runs. */
  notCreated(): OutcomesShown;
  report(): Promise<Blob>;
  problems(): Promise<Blob>;
  /** Lines of people who exist already; undefined if that is not known. */
  existing(signal: AbortSignal): Promise<ReadonlySet<number> | undefined>;
}

/** What its columns mean, where their names are, and what words for the state mean. */
export type SaidOfFile = Pick<FileReading, 'mapping' | 'names' | 'states'>;

interface Chosen {
  file: File;
  reading: FileReading;
  checker: IdentityChecker;
  fingerprint: string;
  total: number;
  /** Whether doubtful identities are sent. */
  doubtful: boolean;
}

export interface ImportSessionDeps {
  create: ImportRun['create'];
  storage: ProgressStorage;
  people?: PeopleStore;
  /** Called after each run: lists are out of date. */
  onEnd?: () => void;
  now?: () => number;
  wait?: BackOff['wait'];
}

export function createImportSession(deps: ImportSessionDeps): ImportSession {
  const { now = Date.now } = deps;
  const store = progressStore(deps.storage, now);
  const listeners = new Set<() => void>();
  let step: ImportStep = { step: 'choose' };
  let chosen: Chosen | undefined;
  let notCreated = outcomesShown();
  let report: RunReport | undefined;
  let kept: { file: File; said: SaidOfFile; beginning?: FileBeginning | undefined } | undefined;
  let underWay = new AbortController();

  function show(next: ImportStep): void {
    step = next;
    for (const listener of listeners) listener();
  }
  const identities = ({ file, reading, checker }: Chosen): AsyncIterable<CheckedIdentity> =>
    checkFile(file, reading, checker);

  async function choose(file: File, checker: IdentityChecker, more?: SaidOfFile): Promise<void> {
    underWay.abort();
    underWay = new AbortController();
    const { signal } = underWay;
    show({ step: 'check', checked: 0 });
    try {
      const format = await formatOf(file);
      const said = { ...(kept?.file === file ? kept.said : {}), ...more };
      const beginning = await beginningOf(file, format, said.names);
      if (signal.aborted) return;
      kept = { file, said, beginning };
      if (
        beginning &&
        !said.mapping &&
        beginning.samples.length > 0 &&
        !namesColumns(beginning.header, checker.columns)
      )
        return show({ step: 'map', file, beginning });
      const reading = { ...said, format, header: beginning?.header };
      const found = { file, reading, checker, fingerprint: '', total: 0, doubtful: false };
      const onProgress = (checked: number) => !signal.aborted && show({ step: 'check', checked });
      const inspection = await inspectIdentities(identities(found), { signal, onProgress });
      const { total } = inspection;
      const fingerprint = await fingerprintOf(file);
      if (signal.aborted) return;
      if (total === 0) throw new Error('This file contains no identities.');
      chosen = { ...found, fingerprint, total };
      const earlier = store.find(fingerprint);
      const states = said.states ?? new Map();
      show({ step: 'review', inspection, earlier: earlier?.total === total ? earlier : undefined, states });
    } catch (error) {
      if (!signal.aborted) show({ step: 'choose', failure: error as Error });
    }
  }

  async function run(file: Chosen, before: OutcomeRuns): Promise<void> {
    if (step.step === 'run') return;
    const { total, fingerprint } = file;
    underWay = new AbortController();
    const { signal } = underWay;
    let outcomes = before;
    let unkept: string | undefined;
    const showRun = (note?: string) => show({ step: 'run', total, outcomes, note, cancelled: signal.aborted });
    showRun();
    const ended = await runImport({
      identities: file.doubtful ? withDoubtful(identities(file)) : identities(file),
      done: countOutcomes(before).all,
      create: deps.create,
      signal,
      wait: deps.wait,
      onWait: ({ error, milliseconds }) =>
        showRun(`${error.message} Retrying in ${Math.ceil(milliseconds / 1_000)} s.`),
      onResults(next) {
        const { all } = countOutcomes(outcomes);
        report ??= { from: all, lines: reportLines() };
        for (const result of next) report.lines.add(resultCells(result));
        notCreated.add(next);
        outcomes = withOutcomes(
          outcomes,
          next.map(({ outcome }) => outcome),
        );
        unkept = keep({ fingerprint, total, outcomes, savedAt: now() });
        showRun(unkept);
      },
    }).catch((error: Error) => error);
    deps.onEnd?.();
    if (ended instanceof Error) return show({ step: 'end', how: 'stopped', total, outcomes, failure: ended });
    if (ended === 'complete') store.remove(fingerprint);
    show({ step: 'end', how: ended, total, outcomes });
  }

  /** @returns the message to show when this browser stores nothing */
  function keep(progress: ImportProgress): string | undefined {
    try {
      store.save(progress);
      return undefined;
    } catch {
      return 'This browser cannot store the progress: after a reload, the import starts from the beginning.';
    }
  }

  const file = (): Chosen => {
    if (chosen === undefined) throw new Error('a file is chosen first');
    return chosen;
  };

  return {
    step: () => step,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    choose,
    file: () => chosen?.file,
    unfinished: store.all,
    start(from, doubtful = false) {
      if (step.step === 'run') return Promise.resolve();
      notCreated = outcomesShown();
      report = undefined;
      chosen = { ...file(), doubtful };
      const earlier = from === 'earlier' && step.step === 'review' ? step.earlier : undefined;
      return run(chosen, earlier?.outcomes ?? []);
    },
    goOn: () => run(file(), step.step === 'end' ? step.outcomes : []),
    cancel() {
      underWay.abort();
      if (step.step === 'run') show({ ...step, cancelled: true });
      if (step.step === 'check') show({ step: 'choose' });
    },
    mapAgain() {
      if (kept?.said.mapping === undefined || kept.beginning === undefined || kept.file !== chosen?.file)
        return undefined;
      const again = { step: 'map', file: kept.file, beginning: kept.beginning, mapping: kept.said.mapping } as const;
      return () => show(again);
    },
    reset() {
      chosen = undefined;
      kept = undefined;
      show({ step: 'choose' });
    },
    notCreated: () => notCreated,
    report: () => importReport(identities(file()), step.step === 'end' ? step.outcomes : [], report),
    problems: () => problemsReport(identities(file())),
    existing: async (signal) =>
      deps.people && existingPeople(identities(file()), file().checker.takenBy, deps.people, signal),
  };
}

/** An import for as long as the page is shown; leaving stops it after the current request and keeps its progress. */
export function useImportSession(): { session: ImportSession; step: ImportStep; leaving: ReactNode } {
  const queryClient = useQueryClient();
  const [session] = useState(() =>
    createImportSession({
      create: createIdentities,
      storage: browserStorage(),
      people: peopleStore(queryClient),
      onEnd: () => void identitiesChanged(queryClient),
    }),
  );
  useEffect(() => () => session.cancel(), [session]);
  const step = useSyncExternalStore(session.subscribe, session.step);
  const leaving = useConfirmLeave(() => step.step === 'run', 'import');
  return { session, step, leaving };
}

const peopleStore = (queryClient: QueryClient): PeopleStore => ({
  total: async () => (await queryClient.fetchQuery(identityTotalQuery)).total,
  hasIdentifier: async (identifier) => (await findByIdentifier(identifier)).length > 0,
  hasExternalId: (id) =>
    findByExternalId(id).then(
      () => true,
      (error: unknown) => {
        if (error instanceof RequestError && error.status === 404) return false;
        throw error;
      },
    ),
  page: (token, signal) => readStoredPage(token, JSON.parse, signal),
});
