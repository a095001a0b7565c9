/** When to call again: right after a reconnect, requests often fail. */
const AGAIN_AFTER_MS = [3_000, 15_000];

/** Calls back when the browser is online again, and twice more soon after. @returns a function that unsubscribes */
export function onOnline(listener: () => void): () => void {
  let timers: ReturnType<typeof setTimeout>[] = [];
  const stopTimers = (): void => timers.forEach(clearTimeout);
  const onEvent = (): void => {
    stopTimers();
    timers = AGAIN_AFTER_MS.map((ms) => setTimeout(listener, ms));
    listener();
  };
  addEventListener('online', onEvent);
  return () => {
    removeEventListener('online', onEvent);
    stopTimers();
  };
}
