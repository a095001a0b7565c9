const MINUTE_MS = 60_000;

/**
 * Throttles a log function to the first call per minute for each text, since a misconfigured proxy would repeat it with
 * every request.
 * @param now milliseconds on a monotonic clock
 */
export function logThrottle(
  say: (text: string) => void,
  now: () => number = () => performance.now(),
): (text: string) => void {
  const lastLogged = new Map<string, number>();
  return (text) => {
    const time = now();
    if (time - (lastLogged.get(text) ?? Number.NEGATIVE_INFINITY) < MINUTE_MS) return;
    lastLogged.set(text, time);
    say(text);
  };
}
