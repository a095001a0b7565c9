import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import type { ListedIdentity } from '../../../../shared/identities.ts';
import { IDENTITY_PAGES_KEY, identityTotalQuery } from '../../../api/identities.ts';
import { identityQuery } from '../../../api/identities-record.ts';
import { identitySessionsQuery } from '../../../api/identities-sessions.ts';
import type { BulkAct } from './bulk-acts.ts';
import { type IdentityResult, undone, withRetried } from './bulk-report.ts';
import { runBulk } from './bulk-runner.ts';

export type BulkPhase =
  | { phase: 'confirm' }
  | { phase: 'running'; ended: number; total: number; cancelled: boolean }
  | { phase: 'ended'; results: readonly IdentityResult[] };

export interface BulkRunning {
  state: BulkPhase;
  /** The first time for all of them, then for those to whom it was not done. */
  run(): void;
  cancel(): void;
  /** Lets the lists know; the dialog closes. @returns the ids of those to whom it was not done, or nothing if it never ran */
  leave(): string[] | undefined;
}

export function useBulkRun(act: BulkAct, identities: readonly ListedIdentity[]): BulkRunning {
  const queryClient = useQueryClient();
  const [state, setState] = useState<BulkPhase>({ phase: 'confirm' });
  const controller = useRef<AbortController>(undefined);
  const left = useRef(false);
  useEffect(
    () => () => {
      left.current = true;
      controller.current?.abort();
    },
    [],
  );
  const refresh = (): void => {
    void queryClient.invalidateQueries({ queryKey: IDENTITY_PAGES_KEY });
    void queryClient.invalidateQueries({ queryKey: identityTotalQuery.queryKey });
    for (const { id } of identities) {
      void queryClient.invalidateQueries({ queryKey: identityQuery(id).queryKey });
      void queryClient.invalidateQueries({ queryKey: identitySessionsQuery(id).queryKey });
    }
  };

  const run = async (): Promise<void> => {
    if (controller.current !== undefined) return;
    const current = new AbortController();
    controller.current = current;
    const { signal } = current;
    const before = state.phase === 'ended' ? state.results : undefined;
    const items = before === undefined ? identities : undone(before);
    setState({ phase: 'running', ended: 0, total: items.length, cancelled: false });
    const results = await runBulk({
      items,
      act: act.act,
      signal,
      onProgress: (ended) => setState({ phase: 'running', ended, total: items.length, cancelled: signal.aborted }),
    });
    controller.current = undefined;
    // The page was left under it: nobody closes the dialog any more.
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
