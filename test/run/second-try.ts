import { OTHERWISE, runMocha, type Show, sum } from './mocha.ts';
import { type CountsByFile, NONE } from './reporter.ts';

/** Where more files failed than these, it was not the machine. */
const FILES_MAX = 4;

/**
 * A browser on a busy machine is late now and then: such a file in which something failed is run once more, by itself.
 * @param isLate whether a file may have failed for that
 * @returns the counts with those of the second try in place of the first, and how many tests passed only then
 */
export async function withSecondTry(
  first: CountsByFile,
  isLate: (file: string) => boolean,
  args: readonly string[],
  show: Show,
): Promise<{ counts: CountsByFile; second: number }> {
  const failed = Object.keys(first).filter((file) => (first[file]?.failures ?? 0) > 0);
  const again = failed.filter(isLate);
  if (again.length === 0 || failed.length > FILES_MAX || failed.includes(OTHERWISE))
    return { counts: first, second: 0 };
  show(`\nOnce more, by themselves:\n${again.map((file) => `  ${file}\n`).join('')}`);
  const second = await runMocha(again, args, 1, show);
  const before = sum(Object.fromEntries(again.map((file) => [file, first[file] ?? NONE])));
  return { counts: { ...first, ...second }, second: Math.max(0, sum(second).passes - before.passes) };
}
