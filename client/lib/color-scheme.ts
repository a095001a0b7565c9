import { useSyncExternalStore } from 'react';

/** `auto` follows the system. */
export type ColorScheme = 'auto' | 'light' | 'dark';

/** The names under which Mantine keeps the choice and its style sheets look for it. */
const KEY = 'mantine-color-scheme-value';
const ATTRIBUTE = 'data-mantine-color-scheme';

const system = (): MediaQueryList => matchMedia('(prefers-color-scheme: dark)');
const listeners = new Set<() => void>();
let chosen = kept();
let onPaper = false;

function kept(): ColorScheme {
  try {
    const value = localStorage.getItem(KEY);
    return value === 'light' || value === 'dark' ? value : 'auto';
  } catch {
    // Storage may be blocked.
    return 'auto';
  }
}

/** What is shown: on paper, light. */
export const shownScheme = (): 'light' | 'dark' => {
  if (onPaper) return 'light';
  return chosen === 'auto' ? (system().matches ? 'dark' : 'light') : chosen;
};

function show(scheme: ColorScheme): void {
  chosen = scheme;
  document.documentElement.setAttribute(ATTRIBUTE, shownScheme());
  for (const listener of listeners) listener();
}

export function chooseScheme(scheme: ColorScheme): void {
  try {
    localStorage.setItem(KEY, scheme);
  } catch {
    // It lasts as long as the page.
  }
  show(scheme);
}

/** Shows the chosen scheme, and follows the system and other tabs. Called once, before anything is drawn. */
export function startColorScheme(): void {
  show(chosen);
  system().addEventListener('change', () => show(chosen));
  // Browsers differ in which of these they tell, and when.
  const print = (begins: boolean): void => {
    onPaper = begins;
    show(chosen);
  };
  matchMedia('print').addEventListener('change', ({ matches }) => print(matches));
  addEventListener('beforeprint', () => print(true));
  addEventListener('afterprint', () => print(false));
  addEventListener('storage', ({ key }) => {
    if (key === KEY) show(kept());
  });
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** What the operator has chosen. */
export const useColorScheme = (): ColorScheme => useSyncExternalStore(subscribe, () => chosen);
