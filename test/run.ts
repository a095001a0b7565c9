// `npm test`: lint, types and build, then the groups of tests; `npm test -- --help` tells what else it takes.

import { GROUPS, type Group, type GroupCounts, runFiles, runGroup } from './run/groups.ts';
import { BUILD, CHECKS, runSteps } from './run/steps.ts';
import type { Tool } from './support/tools.ts';
import { provideTools } from './support/tools-install.ts';

const USAGE = `npm test                       everything
npm test -- unit api           one or more groups of ${GROUPS.join(', ')}
npm test -- test/unit/x.test.ts   one or more files
npm test -- --grep sign-in     further arguments go to Mocha
`;

/** A database named by the environment takes MariaDB's place. */
const TOOLS_OF: Record<Group, readonly Tool[]> = {
  unit: [],
  api: [],
  contract: process.env['TEST_DATABASE_URL'] ? [] : ['mariadb'],
  client: [],
  e2e: ['chromium'],
};

/** The groups that look at the built app; a full run builds it anyway. */
const LOOK_AT_BUILD: readonly Group[] = ['unit', 'api', 'client', 'e2e'];

const args = process.argv.slice(2);
if (args.includes('--help')) {
  process.stdout.write(USAGE);
  process.exit(0);
}
// Groups and files come first; from the first option on everything is Mocha's, values such as `--grep api` included.
const options = args.findIndex((arg) => arg.startsWith('-'));
const chosen = options === -1 ? args : args.slice(0, options);
const forMocha = args.slice(chosen.length);
const isGroup = (arg: string): arg is Group => (GROUPS as readonly string[]).includes(arg);
const named = chosen.filter(isGroup);
const files = chosen.filter((arg) => !isGroup(arg));
const groups = named.length > 0 ? named : files.length > 0 ? [] : GROUPS;

const total = { passes: 0, failures: 0, pending: 0, second: 0 };
const started = Date.now();

if (provideTools([...new Set(groups.flatMap((group) => TOOLS_OF[group]))]).failed) total.failures += 1;
if (args.length === 0) total.failures += await runSteps(CHECKS);
else if (groups.some((group) => LOOK_AT_BUILD.includes(group))) total.failures += await runSteps([BUILD]);

for (const group of groups) await report(group, () => runGroup(group, forMocha));
if (files.length > 0) await report('files', () => runFiles(files, forMocha, 1, false));

const skipped = total.pending > 0 ? `, ${total.pending} skipped` : '';
process.stdout.write(
  `\nAll groups (${seconds(started)} s):\n${total.passes} passed${atSecondTry(total)}, ${total.failures} failed${skipped}\n`,
);
process.exitCode = total.failures > 0 ? 1 : 0;

async function report(name: string, run: () => Promise<GroupCounts>): Promise<void> {
  process.stdout.write(`\n${name}\n`);
  const since = Date.now();
  const counts = await run();
  for (const key of ['passes', 'failures', 'pending', 'second'] as const) total[key] += counts[key];
  process.stdout.write(
    `${name}: ${counts.passes} passed${atSecondTry(counts)}, ${counts.failures} failed (${seconds(since)} s)\n`,
  );
}

function atSecondTry({ second }: GroupCounts): string {
  return second > 0 ? ` (${second} only at the second try)` : '';
}

function seconds(since: number): string {
  return ((Date.now() - since) / 1000).toFixed(1);
}
