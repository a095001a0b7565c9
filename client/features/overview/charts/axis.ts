/** A round number at or a little above the largest one: the top of a chart. Counts are whole, and so is it. */
export function axisTop(largest: number): number {
  if (largest <= 4) return Math.max(largest, 1);
  const power = 10 ** Math.floor(Math.log10(largest));
  const step = [1, 1.5, 2, 3, 4, 5, 6, 8].find(
    (factor) => factor * power >= largest && Number.isInteger(factor * power),
  );
  return (step ?? 10) * power;
}

/** Zero, top, and what lies in the middle where that is a whole number. */
export const axisTicks = (top: number): number[] => (top % 2 === 0 ? [0, top / 2, top] : [0, top]);
