/** Long enough that no page waits for it while it is loaded, in milliseconds. */
const LONG_MS = 20_000;

interface LongTimer {
  at: number;
  everyMs: number | undefined;
  run: () => void;
}

/**
 * Holds timers of twenty seconds and more, and the clock with them, until a test lets time pass; shorter ones run as always.
 * @returns how to let milliseconds pass, and what takes everything back
 */
export function holdLongTimers(): { pass: (ms: number) => void; restore: () => void } {
  const { setTimeout, setInterval, clearTimeout, clearInterval } = globalThis;
  const { now } = Date;
  let passed = 0;
  const held = new Map<unknown, LongTimer>();
  const holding =
    (start: typeof setTimeout | typeof setInterval, repeats: boolean) =>
    (run: (...given: unknown[]) => void, ms = 0, ...given: unknown[]): unknown => {
      if (ms < LONG_MS) return start(run, ms, ...given);
      // A real timer stands for it: it can be told to let the process end.
      const timer = start(() => {}, 2 ** 31 - 1);
      held.set(timer, { at: passed + ms, everyMs: repeats ? ms : undefined, run: () => run(...given) });
      return timer;
    };
  const clearing =
    (clear: typeof clearTimeout) =>
    (timer: Parameters<typeof clearTimeout>[0]): void => {
      held.delete(timer);
      clear(timer);
    };
  Object.assign(globalThis, {
    setTimeout: holding(setTimeout, false),
    setInterval: holding(setInterval, true),
    clearTimeout: clearing(clearTimeout),
    clearInterval: clearing(clearInterval),
  });
  Date.now = () => now() + passed;
  return {
    pass(ms) {
      const end = passed + ms;
      for (;;) {
        const [next] = [...held].filter(([, { at }]) => at <= end).sort(([, one], [, other]) => one.at - other.at);
        if (next === undefined) break;
        const [timer, { at, everyMs, run }] = next;
        passed = at;
        if (everyMs === undefined) held.delete(timer);
        else held.set(timer, { at: at + everyMs, everyMs, run });
        run();
      }
      passed = end;
    },
    restore() {
      for (const timer of held.keys()) clearTimeout(timer as NodeJS.Timeout);
      Object.assign(globalThis, { setTimeout, setInterval, clearTimeout, clearInterval });
      Date.now = now;
    },
  };
}
