const listeners = new Set<() => void>();

/** Runs before this page is left for sign-in or for a newer version: the moment to keep a draft. Never keep a secret. */
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
