import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { CountsByFile } from './reporter.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

export const GROUPS = ['unit', 'api', 'contract', 'cluster', 'client', 'e2e'] as const;
export type Group = (typeof GROUPS)[number];

/** Seconds, by the file's path relative to the repository. */
type Times = Readonly<Record<string, number>>;

/** What each file took when it ran last on this machine; not in the repository. */
const TIMES = `${root}test/run/times.json`;

/** For a file whose time is not known: in a fresh clone, that of every one. */
const USUAL_SECONDS: Readonly<Record<Group, number>> = {
  unit: 1,
  api: 4,
  contract: 5,
  cluster: 40,
  client: 1,
  e2e: 20,
};

/** @param file relative to the repository */
export const groupOf = (file: string): Group | undefined => GROUPS.find((group) => file.startsWith(`test/${group}/`));

export const filesOf = (group: Group): string[] =>
  readdirSync(`${root}test/${group}`, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.test\.tsx?$/.test(name))
    .map((name) => `test/${group}/${name}`);

/**
 * The order in which files are begun: those that take longest first, so that none of them is left to the end, when nothing
 * runs beside it. A browser computes, and most of the others wait: each part of the run gets its share of both.
 */
export function queueOf(files: readonly string[], times: Times = readTimes()): string[] {
  const seconds = (file: string): number => times[file] ?? USUAL_SECONDS[groupOf(file) ?? 'unit'];
  const sorted = [...files].sort((one, other) => seconds(other) - seconds(one) || one.localeCompare(other));
  const browser = sorted.filter((file) => groupOf(file) === 'e2e');
  const others = sorted.filter((file) => groupOf(file) !== 'e2e');
  return [browser, others]
    .flatMap((list) => {
      const total = list.reduce((sum, file) => sum + seconds(file), 0) || 1;
      let before = 0;
      return list.map((file) => {
        const share = before / total;
        before += seconds(file);
        return { file, share };
      });
    })
    .sort((one, other) => one.share - other.share)
    .map(({ file }) => file);
}

/** Beside what is known of other files. */
export function keepTimes(counts: CountsByFile): void {
  const times = Object.entries(counts).map(([file, { seconds }]) => [file, seconds]);
  writeFileSync(TIMES, `${JSON.stringify({ ...readTimes(), ...Object.fromEntries(times) }, null, 2)}\n`);
}

function readTimes(): Times {
  try {
    return JSON.parse(readFileSync(TIMES, 'utf8')) as Times;
  } catch {
    return {};
  }
}
