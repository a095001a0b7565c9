import type { Capability } from '../../shared/capabilities.ts';
import { createStore } from '../lib/store.ts';
import type { Icon } from './shell-icons.tsx';

/** A page in the navigation, the palette, the overview and the `g` shortcuts. */
export interface Page {
  to: string;
  label: string;
  /** One sentence: the purpose of the page. */
  about: string;
  icon: Icon;
  /** The key after `g`. */
  letter: string;
  /** Any one of these suffices; without any, the page appears with a lock. */
  needs: readonly Capability[];
}

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

/** A token on its way from the palette to *Introspect*, which takes it out: in memory only, never in an address. */
export const tokenToIntrospect = createStore('');
