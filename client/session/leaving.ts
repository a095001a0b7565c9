const listeners = new Set<() => void>();

/** Runs before the page is left for sign-in or a newer version: the time to save a draft, but never a secret. */
export function onLeaving(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function keepDrafts(): void {
  for (const listener of listeners) listener();
}

export function reloadKeepingDrafts(): void {
  keepDrafts();
  location.reload();
}
