/** When to call again: right after a reconnect, requests often fail. */
const AGAIN_AFTER_MS = [3_000, 15_000];
/** When the browser was last back online, by the monotonic clock. */
let onlineAt = Number.NEGATIVE_INFINITY;

/**
 * Calls back when the browser is online again, and twice more soon after, also if the subscription begins in between.
 * @returns a function that unsubscribes
 */
export function onOnline(listener: () => void): () => void {
  let timers: ReturnType<typeof setTimeout>[] = [];
  const stopTimers = (): void => timers.forEach(clearTimeout);
  const startTimers = (): void => {
    stopTimers();
    const elapsedMs = performance.now() - onlineAt;
    timers = AGAIN_AFTER_MS.filter((ms) => ms > elapsedMs).map((ms) => setTimeout(listener, ms - elapsedMs));
  };
  const onEvent = (): void => {
    onlineAt = performance.now();
    startTimers();
    listener();
  };
  startTimers();
  addEventListener('online', onEvent);
  return () => {
    removeEventListener('online', onEvent);
    stopTimers();
  };
}
