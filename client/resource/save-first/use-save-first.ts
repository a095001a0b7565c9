import { useEffect, useRef, useState } from 'react';
import type { Failure } from '../../ui/feedback/failure-panel.tsx';
import type { SaveFirst } from './save-first.ts';

/** Saving many records before they are deleted. */
export interface Saving {
  /** How many are read while it runs; undefined otherwise. */
  read: number | undefined;
  failure: Failure | undefined;
  /** @param then called once the file is saved, and not if that fails */
  start(then: () => void): void;
  /** Undefined once it was pressed. */
  cancel: (() => void) | undefined;
}

export function useSaveFirst(saveFirst: SaveFirst | undefined, ids: readonly string[]): Saving {
  const [read, setRead] = useState<number>();
  const [failure, setFailure] = useState<Failure>();
  const [cancelled, setCancelled] = useState(false);
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);

  const save = async (then: () => void): Promise<void> => {
    if (saveFirst === undefined || running.current !== undefined) return;
    const controller = new AbortController();
    running.current = controller;
    setFailure(undefined);
    setCancelled(false);
    setRead(0);
    const failed = await saveFirst.save(ids, controller.signal, setRead).then(
      () => undefined,
      (error: Error) => error,
    );
    running.current = undefined;
    setRead(undefined);
    setFailure(failed);
    if (failed === undefined) then();
  };
  return {
    read,
    failure,
    start: (then) => void save(then),
    cancel: cancelled
      ? undefined
      : () => {
          setCancelled(true);
          running.current?.abort();
        },
  };
}
