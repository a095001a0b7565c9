/** The top of a chart: a round integer at or a little above the largest count. */
export function axisTop(largest: number): number {
  if (largest <= 4) return Math.max(largest, 1);
  const power = 10 ** Math.floor(Math.log10(largest));
  const step = [1, 1.5, 2, 3, 4, 5, 6, 8].find(
    (factor) => factor * power >= largest && Number.isInteger(factor * power),
  );
  return (step ?? 10) * power;
}

/** Zero, the top, and the middle if it is an integer. */
export const axisTicks = (top: number): number[] => (top % 2 === 0 ? [0, top / 2, top] : [0, top]);
