import { useSyncExternalStore } from 'react';
import type { Icon } from '../icon.tsx';

/** Something that can be done to what the open page shows. */
export interface PageAction {
  label: string;
  icon: Icon;
  run: () => void;
}

let offered: readonly PageAction[] = [];
const listeners = new Set<() => void>();

function set(actions: readonly PageAction[]): void {
  offered = actions;
  for (const listener of listeners) listener();
}

/** Lets the palette offer them as long as the page stands. @returns takes them back */
export function offerPageActions(actions: readonly PageAction[]): () => void {
  set(actions);
  return () => {
    if (offered === actions) set([]);
  };
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export const usePageActions = (): readonly PageAction[] => useSyncExternalStore(subscribe, () => offered);
