import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import type { SessionInformation } from '../../shared/session.ts';
import { type BackOff, withBackOff } from '../api/polling.ts';
import { RequestError, reworded } from '../api/request.ts';
import type { SaveFirst } from './export.tsx';
import type { ResourceName } from './resource.ts';

/** An action on many rows at once. */
export interface BulkAct<T> {
  /** The button: “Delete”. */
  label: string;
  /** Title without the count: “Delete”, for “Delete 3 identities?”. */
  title: string;
  /** While it runs: “Deleting”. */
  running: string;
  /** Outcome of an item: “deleted”. */
  done: string;
  consequences: readonly string[];
  /** Cannot be undone: the count must be typed to confirm. */
  final: boolean;
  /** Somebody loses something: the button is red. */
  grave: boolean;
  /** A warning about these rows in particular, shown above the consequences. */
  warning?: (items: readonly T[], operator: SessionInformation['user']) => string | undefined;
  /** Rows that it leaves alone, and the sentence that says so. */
  spares?: { holds: (item: T, operator: SessionInformation['user']) => boolean; words: string };
  /** Rows on which there is nothing to do, as they are right before the act; what they are called: “already inactive”. */
  already?: { holds: (item: T) => boolean; words: string };
  /** It deletes them, and offers to save them before. */
  saveFirst?: SaveFirst;
  /** @returns the reason if there was nothing to do */
  act: (item: T) => Promise<string | undefined>;
}

/** A row as it is at the moment. */
interface Checked<T> {
  item: T;
  /** Why it is not acted on. */
  leftOut?: string;
  /** There is nothing to do. */
  already?: boolean;
}

/** All rows that match the search of the list, as of the moment when the dialog opens. */
export interface BulkMatching<T> {
  /** The filters: “inactive, created in the last 7 days”; “everything” without any. */
  words: string;
  /** A consequence: what is checked before each act. */
  promise: string;
  /** Selected rows are checked, too: the list may be out of date. */
  checksChosen: boolean;
  /**
   * Finds the first rows in full, of all others the id alone.
   * @returns `missing`: a warning, which rows may be missing
   */
  find: (signal: AbortSignal) => Promise<{ items: readonly T[]; missing?: string | undefined }>;
  /** Reads one again before its act. */
  check: (item: T) => Promise<Checked<T>>;
}

/** The resource that it acts on. @typeParam Search of its list, if acts may take all matching rows */
export interface BulkSubject<T, Search = never> {
  name: ResourceName;
  /** Name of an item, in the dialog and in the report's column `nameColumn`. */
  nameOf: (item: T) => string;
  nameColumn: string;
  /** Reads one again, for acts with `already`. */
  read?: (item: T) => Promise<T>;
  /** Called once for each dialog, when it opens. */
  matching?: (search: Search) => BulkMatching<T>;
  /** Invalidates every query that contains these items. */
  invalidate: (queryClient: QueryClient, items: readonly T[]) => void;
}

export interface BulkResult<T> {
  item: T;
  /** `unchanged`: there was nothing to do. `left-out`: its check said so. `not-started`: cancelled before its turn. */
  outcome: 'done' | 'unchanged' | 'left-out' | 'failed' | 'not-started';
  /** Why it failed or was left out, or why there was nothing to do. */
  reason?: string | undefined;
}

interface BulkRun<T> {
  items: readonly T[];
  /** Called before each act, but not before its retries: an act whose response was lost may have changed the item. */
  check?: ((item: T) => Promise<Checked<T>>) | undefined;
  /** Resolves with a reason if there was nothing to do, else with undefined; rejects if it failed. */
  act: (item: T) => Promise<string | undefined>;
  /** No item starts after it aborts; running ones finish, so that the outcome of each is known. */
  signal?: AbortSignal;
  onProgress?: (ended: number) => void;
  wait?: BackOff['wait'];
}

const CONCURRENCY = 4;

/** Runs `act` for every item, four at a time. Never rejects. @returns the results in the order of the items */
export async function runBulk<T>(run: BulkRun<T>): Promise<BulkResult<T>[]> {
  const results = run.items.map((item): BulkResult<T> => ({ item, outcome: 'not-started' }));
  const backOff: BackOff = { tries: 4, signal: run.signal, wait: run.wait };
  let next = 0;
  let ended = 0;
  let signedOut = false;

  const stopped = (): boolean => signedOut || run.signal?.aborted === true;

  async function resultOf(given: T): Promise<BulkResult<T>> {
    const { check, act } = run;
    let item = given;
    try {
      const checked: Checked<T> =
        check === undefined ? { item } : await withBackOff(() => check(given), backOff).catch(notChecked);
      item = checked.item;
      if (checked.leftOut !== undefined) return { item, outcome: 'left-out', reason: checked.leftOut };
      if (checked.already) return { item, outcome: 'unchanged' };
      if (stopped()) return { item, outcome: 'not-started' };
      const reason = await withBackOff(() => act(item), backOff);
      return reason === undefined ? { item, outcome: 'done' } : { item, outcome: 'unchanged', reason };
    } catch (error) {
      // Without a session or API key every further item would be rejected, too.
      signedOut ||= error instanceof RequestError && error.status === 401;
      return { item, outcome: 'failed', reason: (error as Error).message };
    }
  }

  const work = async (): Promise<void> => {
    while (next < run.items.length && !stopped()) {
      const index = next;
      next += 1;
      results[index] = await resultOf(run.items[index] as T);
      ended += 1;
      run.onProgress?.(ended);
    }
  };
  await Promise.all(Array.from({ length: Math.min(CONCURRENCY, run.items.length) }, work));
  return results;
}

function notChecked(error: Error): never {
  throw reworded(error, `It could not be checked, so nothing was done: ${error.message}`);
}

/** Items not done: failed or never started. */
export const undone = <T>(results: readonly BulkResult<T>[]): T[] =>
  results.filter(({ outcome }) => outcome === 'failed' || outcome === 'not-started').map(({ item }) => item);

type BulkPhase<T> =
  | { phase: 'confirm' }
  | { phase: 'running'; ended: number; total: number; cancelled: boolean }
  | { phase: 'ended'; results: readonly BulkResult<T>[] };

/** @param matches whether an item still matches */
export function useBulkRun<T extends { id: string }>(
  act: BulkAct<T>,
  subject: BulkSubject<T>,
  items: readonly T[],
  matches: BulkRun<T>['check'],
) {
  const queryClient = useQueryClient();
  const [state, setState] = useState<BulkPhase<T>>({ phase: 'confirm' });
  const controller = useRef<AbortController>(undefined);
  const closed = useRef(false);
  /** Checked already: a second check would find what the act itself has changed. */
  const started = useRef(new Set<string>());
  useEffect(
    () => () => {
      closed.current = true;
      controller.current?.abort();
    },
    [],
  );
  const refresh = (): void => subject.invalidate(queryClient, items);

  /** Whether the item still matches, and whether there is anything to do. */
  const check = async (item: T): Promise<Checked<T>> => {
    if (started.current.has(item.id)) return { item };
    const checked = (await matches?.(item)) ?? { item: (act.already && (await subject.read?.(item))) ?? item };
    return { ...checked, already: act.already?.holds(checked.item) ?? false };
  };

  const run = async (): Promise<void> => {
    if (controller.current !== undefined) return;
    controller.current = new AbortController();
    const { signal } = controller.current;
    const before = state.phase === 'ended' ? state.results : undefined;
    const current = before === undefined ? items : undone(before);
    const total = current.length;
    setState({ phase: 'running', ended: 0, total, cancelled: false });
    const results = await runBulk({
      items: current,
      check,
      act: (item) => {
        started.current.add(item.id);
        return act.act(item);
      },
      signal,
      onProgress: (ended) => setState({ phase: 'running', ended, total, cancelled: signal.aborted }),
    });
    controller.current = undefined;
    // The operator has left the page: nothing closes the dialog any more.
    if (closed.current) refresh();
    const retried = new Map(results.map((result) => [result.item.id, result]));
    setState({ phase: 'ended', results: before?.map((result) => retried.get(result.item.id) ?? result) ?? results });
  };

  return {
    state,
    /** Runs for all items the first time, then for those not done. */
    run: () => void run(),
    cancel(): void {
      controller.current?.abort();
      setState((current) => (current.phase === 'running' ? { ...current, cancelled: true } : current));
    },
    /** Invalidates the lists. @returns the ids of items not done; undefined if it never ran */
    leave(): string[] | undefined {
      if (state.phase !== 'ended') return undefined;
      refresh();
      return undone(state.results).map(({ id }) => id);
    },
  };
}
