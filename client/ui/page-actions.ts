import { createStore } from '../lib/store.ts';
import type { Icon } from './shell-icons.tsx';

/** An action of the open page. */
export interface PageAction {
  label: string;
  icon: Icon;
  run: () => void;
}

const offered = createStore<readonly PageAction[]>([]);

/** Adds actions to the palette while the page is open. @returns a function that removes them */
export function offerPageActions(actions: readonly PageAction[]): () => void {
  offered.set(actions);
  return () => {
    if (offered.get() === actions) offered.set([]);
  };
}

export const usePageActions = offered.use;
