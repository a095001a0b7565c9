/** What is asked for in the first moments of a connection often fails once more. */
const LATER_MS = [3_000, 15_000];

const listeners = new Set<() => void>();
let timers: ReturnType<typeof setTimeout>[] = [];

const tell = (): void => {
  for (const listener of [...listeners]) listener();
};

const stopTimers = (): void => {
  for (const timer of timers) clearTimeout(timer);
  timers = [];
};

function cameBack(): void {
  stopTimers();
  timers = LATER_MS.map((ms) => setTimeout(tell, ms));
  tell();
}

/** Calls when the browser is back online, and twice more soon after. @returns what ends that */
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
