import { createStore } from '../lib/store.ts';
import type { Icon } from './shell-icons.tsx';

/** An action of the open page. */
export interface PageAction {
  label: string;
  icon: Icon;
  run: () => void;
}

const pageActions = createStore<readonly PageAction[]>([]);

/** Adds the open page's actions to the palette, instead of an earlier page's. @returns a function that removes them */
export function offerPageActions(actions: readonly PageAction[]): () => void {
  pageActions.set(actions);
  return () => {
    if (pageActions.get() === actions) pageActions.set([]);
  };
}

export const usePageActions = pageActions.use;
