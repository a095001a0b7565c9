import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import type { BulkAct, BulkSubject, Checked } from './bulk-act.ts';
import { undone, withRetried } from './bulk-report.ts';
import { type BulkResult, runBulk } from './bulk-runner.ts';

export type BulkPhase<T> =
  | { phase: 'confirm' }
  | { phase: 'running'; ended: number; total: number; cancelled: boolean }
  | { phase: 'ended'; results: readonly BulkResult<T>[] };

export interface BulkRunning<T> {
  state: BulkPhase<T>;
  /** Runs for all items the first time, then for those not done. */
  run(): void;
  cancel(): void;
  /** Invalidates the lists. @returns the ids of items not done; undefined if it never ran */
  leave(): string[] | undefined;
}

/** What is asked of an item before its act: whether it still matches, and whether there is anything to do. */
export function checkBefore<T>(
  { already }: BulkAct<T>,
  { read }: BulkSubject<T>,
  check: ((item: T) => Promise<Checked<T>>) | undefined,
): ((item: T) => Promise<Checked<T>>) | undefined {
  if (already === undefined) return check;
  const ask = check ?? (async (item) => ({ item: read === undefined ? item : await read(item) }));
  return async (item) => {
    const checked: Checked<T> = await ask(item);
    return { ...checked, already: already.holds(checked.item) };
  };
}

/** @param check reads an item again before its act */
export function useBulkRun<T extends { id: string }>(
  act: BulkAct<T>,
  subject: BulkSubject<T>,
  chosen: readonly T[],
  check?: (item: T) => Promise<Checked<T>>,
): BulkRunning<T> {
  const queryClient = useQueryClient();
  const [state, setState] = useState<BulkPhase<T>>({ phase: 'confirm' });
  const controller = useRef<AbortController>(undefined);
  const left = useRef(false);
  /** Their check is over: a second one would find what the act itself has changed. */
  const begun = useRef(new Set<string>());
  useEffect(
    () => () => {
      left.current = true;
      controller.current?.abort();
    },
    [],
  );
  const refresh = (): void => subject.invalidate(queryClient, chosen);

  const run = async (): Promise<void> => {
    if (controller.current !== undefined) return;
    const current = new AbortController();
    controller.current = current;
    const { signal } = current;
    const before = state.phase === 'ended' ? state.results : undefined;
    const items = before === undefined ? chosen : undone(before);
    setState({ phase: 'running', ended: 0, total: items.length, cancelled: false });
    const results = await runBulk({
      items,
      check: check && (async (item) => (begun.current.has(item.id) ? { item } : await check(item))),
      act: (item) => {
        begun.current.add(item.id);
        return act.act(item);
      },
      signal,
      onProgress: (ended) => setState({ phase: 'running', ended, total: items.length, cancelled: signal.aborted }),
    });
    controller.current = undefined;
    // The operator left the page, so the dialog can no longer be closed.
    if (left.current) refresh();
    setState({ phase: 'ended', results: before === undefined ? results : withRetried(before, results) });
  };

  return {
    state,
    run: () => void run(),
    cancel() {
      controller.current?.abort();
      setState((current) => (current.phase === 'running' ? { ...current, cancelled: true } : current));
    },
    leave() {
      if (state.phase !== 'ended') return undefined;
      refresh();
      return undone(state.results).map(({ id }) => id);
    },
  };
}
