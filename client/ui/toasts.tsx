import { CloseButton } from '@mantine/core';
import { type ComponentType, useSyncExternalStore } from 'react';
import { visibleText } from '../lib/visible-text.ts';
import classes from './toasts.module.css';

const STAYS_MS = 6_000;

interface Toast {
  id: number;
  text: string;
  Body: ComponentType<{ dismiss: () => void }> | undefined;
}

let toasts: readonly Toast[] = [];
let lastId = 0;
const listeners = new Set<() => void>();

function set(next: readonly Toast[]): void {
  toasts = next;
  for (const listener of listeners) listener();
}

/**
 * Confirms briefly that something is done. Failures are shown where they happened instead, and stay.
 * @param Body drawn in place of the text; it stays until it dismisses itself
 */
export function toast(text: string, Body?: Toast['Body']): void {
  lastId += 1;
  const id = lastId;
  set([...toasts.slice(-2), { id, text, Body }]);
  if (Body === undefined) setTimeout(() => dismiss(id), STAYS_MS);
}

const dismiss = (id: number): void => set(toasts.filter((toast) => toast.id !== id));

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function Toasts() {
  const shown = useSyncExternalStore(subscribe, () => toasts);
  return (
    <div className={classes.stack} role="status" aria-live="polite" data-unprinted>
      {shown.map(({ id, text, Body }) =>
        Body === undefined ? (
          <div key={id} className={classes.toast}>
            <span>{visibleText(text)}</span>
            <CloseButton aria-label="Dismiss" onClick={() => dismiss(id)} />
          </div>
        ) : (
          <Body key={id} dismiss={() => dismiss(id)} />
        ),
      )}
    </div>
  );
}
