const MINUTE_MS = 60_000;

/**
 * A function that passes on the first call of each minute for each text and ignores the others: what every request of a
 * wrongly set up proxy would say again.
 * @param now milliseconds on a monotonic clock
 */
export function logThrottle(
  say: (text: string) => void,
  now: () => number = () => performance.now(),
): (text: string) => void {
  const said = new Map<string, number>();
  return (text) => {
    const time = now();
    if (time - (said.get(text) ?? Number.NEGATIVE_INFINITY) < MINUTE_MS) return;
    said.set(text, time);
    say(text);
  };
}
