import { startTransition, useCallback, useEffect, useState } from 'react';

const FIRST = 3;
/** Rows up to here may be on screen and are laid out and painted, so fewer fit into a step. */
const NEAR = 40;
const STEP_NEAR = 4;
const STEP = 12;
/** One frame, so that each step is painted before the next. */
const PAUSE_MS = 16;

const stepAfter = (count: number): number => count + (count < NEAR ? STEP_NEAR : STEP);

/** How many of `total` rows to render now: a few at once, the rest in steps, so that the browser stays responsive. */
export function useGrowing(total: number): number {
  const [count, setCount] = useState(FIRST);
  useEffect(() => {
    if (count >= total) return;
    const timer = setTimeout(() => startTransition(() => setCount(stepAfter(count))), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [count, total]);
  return Math.min(count, total);
}

/**
 * The value that each row is drawn with. When it changes, the first rows have the new one at once and the rest follow in
 * steps, so that the browser stays responsive.
 * @param isSmall whether few rows look different than with the value before: then all have the new one at once
 */
export function useReplacing<T>(
  value: T,
  total: number,
  isSmall: (before: T) => boolean = () => false,
): (index: number) => T {
  // Newest first: each is for the rows below `rows` that no newer one is for.
  const [versions, setVersions] = useState([{ value, rows: Number.POSITIVE_INFINITY }]);
  let latest = versions;
  const before = versions[0];
  if (before?.value !== value) {
    const small = before === undefined || isSmall(before.value);
    latest = small ? [{ value, rows: Number.POSITIVE_INFINITY }] : [{ value, rows: STEP }, ...versions];
    setVersions(latest);
  }
  const done = latest[0]?.rows ?? 0;
  useEffect(() => {
    if (done >= total) return;
    const timer = setTimeout(() => {
      const rows = stepAfter(done) < total ? stepAfter(done) : Number.POSITIVE_INFINITY;
      startTransition(() => setVersions([{ value, rows }, ...latest.filter((version) => version.rows > rows)]));
    }, PAUSE_MS);
    return () => clearTimeout(timer);
  }, [done, total, value, latest]);
  return useCallback((index) => (latest.find(({ rows }) => index < rows) as { value: T }).value, [latest]);
}
