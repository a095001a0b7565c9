import { startTransition, useEffect, useState } from 'react';

const FIRST = 3;
/** Rows up to here may be on screen and are laid out and painted, so fewer fit into a step. */
const NEAR = 40;
const STEP_NEAR = 4;
const STEP = 12;
/** One frame, so that each step is painted before the next. */
const PAUSE_MS = 16;

/** How many of `total` rows to render now: a few at once, the rest in steps, so that the browser stays responsive. */
export function useGrowing(total: number): number {
  const [count, setCount] = useState(FIRST);
  useEffect(() => {
    if (count >= total) return;
    const timer = setTimeout(
      () => startTransition(() => setCount(count + (count < NEAR ? STEP_NEAR : STEP))),
      PAUSE_MS,
    );
    return () => clearTimeout(timer);
  }, [count, total]);
  return Math.min(count, total);
}
