import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import type { SessionInformation } from '../../shared/session.ts';
import { IDS_AT_ONCE } from '../api/identity-batches.ts';
import { type BackOff, withBackOff } from '../api/polling.ts';
import { RequestError, reworded } from '../api/request.ts';
import { chunksOf } from '../api/sessions.ts';
import type { Consequences } from '../ui/confirm-dialog.tsx';
import type { SaveFirst } from './export.tsx';
import type { ResourceName } from './resource.ts';

/** An action on several rows at once. */
export interface BulkAct<T> extends Consequences {
  /** Dialog title without the count: “Delete” in “Delete 3 identities?”. */
  title: string;
  /** Label of the button that confirms; by default the dialog's title without the question mark. */
  button?: string;
  /** Label during the run: “Deleting”. */
  running: string;
  /** Result for an item: “deleted”. */
  done: string;
  /** The title in the past, for the toast; by default `done`. */
  past?: string;
  /** Irreversible: the count must be typed to confirm. */
  final?: true;
  /** Somebody loses access or data: the button is red. */
  grave?: true;
  /** A warning about these rows, above the consequence. */
  warning?: (items: readonly T[], operator: SessionInformation['user']) => string | undefined;
  /** Rows that the action skips, and a sentence about them. */
  spares?: { holds: (item: T, operator: SessionInformation['user']) => boolean; words: string };
  /** Rows that need no change, checked right before the action, and the words for them: “already inactive”. */
  already?: { holds: (item: T) => boolean; words: string };
  /** For deletions: offers to save the items first. */
  saveFirst?: SaveFirst;
  /** No field for a reason: nothing is ended or deleted. */
  withoutReason?: true;
  /** @returns why nothing was changed; undefined after a change */
  act: (item: T, reason: string) => Promise<string | undefined>;
}

interface Checked<T> {
  item: T;
  /** Why the action skips the row. */
  leftOut?: string;
  /** The row needs no change. */
  already?: boolean;
}

/** All rows that match the search when the dialog opens. */
export interface BulkMatching<T> {
  /** The filters: “inactive, created in the last 7 days”; “everything” without filters. */
  words: string;
  /** A sentence for the details, about the check before each item. */
  promise: string;
  /** Whether to check selected rows, too, since the list may be out of date. */
  checksChosen: boolean;
  /**
   * Returns the first rows in full, and only the ids of the others.
   * @returns `missing`: a warning about rows that may be missing
   */
  find: (signal: AbortSignal) => Promise<{ items: readonly T[]; missing?: string | undefined }>;
  /** Reads a row again before its action. */
  check: (item: T) => Promise<Checked<T>>;
}

/** The resource of a bulk action. @typeParam Search the list's search, if actions can apply to all matches */
export interface BulkSubject<T, Search = never> {
  name: ResourceName;
  /** Name of an item, in the column `nameColumn` of the report. */
  nameOf: (item: T) => string;
  /** Its name in the list, for the dialog; by default `nameOf`. */
  labelOf?: (item: T) => string;
  nameColumn: string;
  /** Reads at most `IDS_AT_ONCE` rows again, for actions with `already`. Rows that are gone are left out. */
  read?: (items: readonly T[]) => Promise<readonly T[]>;
  /** Called once for each dialog, when it opens. */
  matching?: (search: Search) => BulkMatching<T>;
  /** Invalidates all queries that contain these items. */
  invalidate: (queryClient: QueryClient, items: readonly T[]) => void;
}

export interface BulkResult<T> {
  item: T;
  /** `left-out`: no longer matches. `overwritten`: another write has undone it. `not-started`: the run stopped first. */
  outcome: 'done' | 'unchanged' | 'left-out' | 'overwritten' | 'failed' | 'not-started';
  /** Reason for a failure, for skipping the item, or for changing nothing. */
  reason?: string | undefined;
}

interface BulkRun<T> {
  items: readonly T[];
  /** Called before an item's first attempt only: after a lost response, the item may already have changed. */
  check?: ((item: T) => Promise<Checked<T>>) | undefined;
  /** Like `BulkAct.act`, with its reason; rejects on failure. */
  act: (item: T) => Promise<string | undefined>;
  /** No item starts after an abort; running items finish, so that every outcome is known. */
  signal?: AbortSignal;
  onProgress?: (ended: number) => void;
  /** Called at the end. @returns those of the changed items that another write has changed back */
  overwritten?: (done: readonly T[]) => Promise<readonly T[]>;
  wait?: BackOff['wait'];
}

const CONCURRENCY = 4;

/** Runs `act` for all items, four at a time. Never rejects. @returns results in the order of the items */
export async function runBulk<T>(run: BulkRun<T>): Promise<BulkResult<T>[]> {
  const results = run.items.map((item): BulkResult<T> => ({ item, outcome: 'not-started' }));
  const backOff: BackOff = { tries: 4, signal: run.signal, wait: run.wait };
  let next = 0;
  let ended = 0;
  let signedOut = false;

  const stopped = (): boolean => signedOut || run.signal?.aborted === true;

  async function resultOf(listed: T): Promise<BulkResult<T>> {
    const { check, act } = run;
    let item = listed;
    try {
      const checked: Checked<T> =
        check === undefined ? { item } : await withBackOff(() => check(listed), backOff).catch(notChecked);
      item = checked.item;
      if (checked.leftOut !== undefined) return { item, outcome: 'left-out', reason: checked.leftOut };
      if (checked.already) return { item, outcome: 'unchanged' };
      if (stopped()) return { item, outcome: 'not-started' };
      const reason = await withBackOff(() => act(item), backOff);
      return reason === undefined ? { item, outcome: 'done' } : { item, outcome: 'unchanged', reason };
    } catch (error) {
      // Without a session or API key, the server would reject all other items, too.
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
  const done = results.filter(({ outcome }) => outcome === 'done').map(({ item }) => item);
  const overwritten = new Set(await run.overwritten?.(done));
  const reason = 'Somebody else has changed it since.';
  return results.map((result) =>
    overwritten.has(result.item) ? { ...result, outcome: 'overwritten', reason } : result,
  );
}

function notChecked(error: Error): never {
  throw reworded(error, `The check failed, so nothing was changed: ${error.message}`);
}

/** Unfinished items: failed, overwritten or never started. */
export const unfinished = <T>(results: readonly BulkResult<T>[]): T[] =>
  results.filter(({ outcome }) => ['failed', 'overwritten', 'not-started'].includes(outcome)).map(({ item }) => item);

type BulkPhase<T> =
  | { phase: 'confirm' }
  | { phase: 'running'; ended: number; total: number }
  | { phase: 'ended'; results: readonly BulkResult<T>[] };

/**
 * @param matches reads an item again, to check whether it still matches
 * @param reason the operator's, for every item
 */
export function useBulkRun<T extends { id: string }>(
  act: BulkAct<T>,
  subject: BulkSubject<T>,
  items: readonly T[],
  matches: BulkRun<T>['check'],
  reason: string,
) {
  const queryClient = useQueryClient();
  const [state, setState] = useState<BulkPhase<T>>({ phase: 'confirm' });
  const controller = useRef<AbortController>(undefined);
  const closed = useRef(false);
  /** Items that passed the check. A second check would find the changes of the action itself. */
  const started = useRef(new Set<string>());
  useEffect(
    () => () => {
      closed.current = true;
      controller.current?.abort();
    },
    [],
  );
  const refresh = (): void => subject.invalidate(queryClient, items);

  /** Whether the item still matches, and whether it needs a change. */
  const check = async (item: T): Promise<Checked<T>> => {
    if (started.current.has(item.id)) return { item };
    const checked = (await matches?.(item)) ?? { item: (act.already && (await subject.read?.([item]))?.[0]) ?? item };
    return { ...checked, already: act.already?.holds(checked.item) ?? false };
  };

  const overwritten = async (done: readonly T[]): Promise<readonly T[]> => {
    const [{ already }, { read }] = [act, subject];
    if (already === undefined || read === undefined) return [];
    const backOff = { signal: controller.current?.signal };
    const ids = new Set<string>();
    for (const some of chunksOf(done, IDS_AT_ONCE))
      for (const item of await withBackOff(() => read(some), backOff).catch(() => []))
        if (!already.holds(item)) ids.add(item.id);
    return done.filter(({ id }) => ids.has(id));
  };

  const run = async (): Promise<void> => {
    if (controller.current !== undefined) return;
    controller.current = new AbortController();
    const { signal } = controller.current;
    const before = state.phase === 'ended' ? state.results : undefined;
    const current = before === undefined ? items : unfinished(before);
    const total = current.length;
    setState({ phase: 'running', ended: 0, total });
    const results = await runBulk({
      items: current,
      check,
      act: (item) => {
        started.current.add(item.id);
        return act.act(item, reason);
      },
      signal,
      overwritten,
      onProgress: (ended) => setState({ phase: 'running', ended, total }),
    });
    controller.current = undefined;
    // The operator has left the page, so `leave` is never called.
    if (closed.current) refresh();
    const retried = new Map(results.map((result) => [result.item.id, result]));
    setState({ phase: 'ended', results: before?.map((result) => retried.get(result.item.id) ?? result) ?? results });
  };

  return {
    state,
    /** The first run covers all items, later runs only unfinished items. */
    run: () => void run(),
    cancel: () => controller.current?.abort(),
    /** After a run, invalidates the items' queries. @returns the ids of unfinished items; undefined without a run */
    leave(): string[] | undefined {
      if (state.phase !== 'ended') return undefined;
      refresh();
      return unfinished(state.results).map(({ id }) => id);
    },
  };
}
