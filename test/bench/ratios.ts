import { median } from './rounds.ts';
import { printTable } from './table.ts';

export type Figures = Record<string, Record<string, number>>;

const ROUNDS = 101;

/** Times each question on both sides in turn, and prints the medians in microseconds with their ratio. */
export async function ratios(
  title: string,
  few: number,
  many: number,
  questions: Record<string, readonly [ofFew: () => unknown, ofMany: () => unknown]>,
  rounds = ROUNDS,
): Promise<Figures> {
  const rows: Figures = {};
  for (const [name, sides] of Object.entries(questions)) {
    const times: [number[], number[]] = [[], []];
    for (let round = 0; round < rounds; round += 1)
      for (const [index, ask] of sides.entries()) {
        const since = performance.now();
        await ask();
        times[index]?.push((performance.now() - since) * 1000);
      }
    const [ofFew, ofMany] = times.map(median) as [number, number];
    rows[name] = { [`${few} µs`]: ofFew, [`${many} µs`]: ofMany, ratio: ofMany / ofFew };
  }
  printTable(title, rows);
  return rows;
}
