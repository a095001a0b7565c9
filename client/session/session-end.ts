import { useSyncExternalStore } from 'react';

let ended = false;
const listeners = new Set<() => void>();

function set(value: boolean): void {
  if (ended === value) return;
  ended = value;
  for (const listener of listeners) listener();
}

/** A request was refused for lack of a session. Pages and drafts stay; a banner offers to sign in. */
export const sessionEnded = (): void => set(true);

/** The operator is signed in (again). */
export const sessionStands = (): void => set(false);

export const hasSessionEnded = (): boolean => ended;

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export const useSessionEnded = (): boolean => useSyncExternalStore(subscribe, hasSessionEnded);
