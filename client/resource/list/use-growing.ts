import { startTransition, useEffect, useState } from 'react';

const FIRST = 3;
/** Rows near the screen are laid out and painted, those further down are only elements. */
const NEAR = 40;
const STEP_NEAR = 4;
const STEP = 12;
/** A frame: what was drawn is on the screen before the next rows are worked on. */
const PAUSE_MS = 16;

/** How many of `total` rows to draw now: a handful at once, the rest in steps that keep the browser answering. */
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
