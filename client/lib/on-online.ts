/** Retries: requests in the first moments of a connection often fail. */
const LATER_MS = [3_000, 15_000];

const listeners = new Set<() => void>();
let timers: ReturnType<typeof setTimeout>[] = [];

const notify = (): void => {
  for (const listener of [...listeners]) listener();
};

const stopTimers = (): void => {
  for (const timer of timers) clearTimeout(timer);
  timers = [];
};

function cameBack(): void {
  stopTimers();
  timers = LATER_MS.map((ms) => setTimeout(notify, ms));
  notify();
}

/** Calls back when the browser is online again, and twice more soon after. @returns a function that unsubscribes */
export function onOnline(listener: () => void): () => void {
  if (listeners.size === 0) addEventListener('online', cameBack);
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    removeEventListener('online', cameBack);
    stopTimers();
  };
}
