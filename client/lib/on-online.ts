/** Retries: requests in the first moments of a connection often fail. */
const LATER_MS = [3_000, 15_000];

/** Calls back when the browser is online again, and twice more soon after. @returns a function that unsubscribes */
export function onOnline(listener: () => void): () => void {
  let timers: ReturnType<typeof setTimeout>[] = [];
  const stopTimers = (): void => timers.forEach(clearTimeout);
  const cameBack = (): void => {
    stopTimers();
    timers = LATER_MS.map((ms) => setTimeout(listener, ms));
    listener();
  };
  addEventListener('online', cameBack);
  return () => {
    removeEventListener('online', cameBack);
    stopTimers();
  };
}
