import { useSyncExternalStore } from 'react';
import type { Icon } from './shell-icons.tsx';

/** An action on what the open page shows. */
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

/** Offers actions in the palette while the page is open. @returns a function that withdraws them */
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
