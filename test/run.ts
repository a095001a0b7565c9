// `npm test`: lint, types and build, then the groups of tests; `npm test -- --help` tells what else it takes.

import { filesOf, GROUPS, type Group, groupOf, keepTimes, queueOf } from './run/files.ts';
import { PROCESSES, runMocha, sum } from './run/mocha.ts';
import type { Counts } from './run/reporter.ts';
import { BUILD, CHECKS, runSteps } from './run/steps.ts';
import './support/test-process.ts';
import type { Tool } from './support/tools.ts';
import { provideTools } from './support/tools-install.ts';

const USAGE = `npm test                       everything; the group cluster only as root
npm test -- unit api           one or more groups of ${GROUPS.join(', ')}
npm test -- test/unit/x.test.ts   one or more files
npm test -- --grep sign-in     further arguments go to Mocha
`;

/** A database named by the environment takes MariaDB's place. */
const TOOLS_OF: Record<Group, readonly Tool[]> = {
  unit: [],
  api: [],
  contract: process.env['TEST_DATABASE_URL'] ? [] : ['mariadb'],
  cluster: ['mariadb'],
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
const everything = GROUPS.filter((group) => group !== 'cluster' || process.getuid?.() === 0);
const groups = named.length > 0 ? named : files.length > 0 ? [] : everything;

const started = Date.now();
let failures = provideTools([...new Set(groups.flatMap((group) => TOOLS_OF[group]))]).failed ? 1 : 0;

const checks = args.length === 0 ? runSteps(CHECKS) : 0;
if (groups.some((group) => LOOK_AT_BUILD.includes(group))) failures += await runSteps([BUILD]);
const show = (text: string): void => void process.stdout.write(text);
const counts = await runMocha(queueOf([...files, ...groups.flatMap(filesOf)]), forMocha, PROCESSES, show);
failures += await checks;
if (forMocha.length === 0) keepTimes(counts);

show(`\nIn ${PROCESSES} processes side by side:\n`);
for (const name of [...GROUPS, undefined]) {
  const of = Object.entries(counts).filter(([file]) => groupOf(file) === name);
  if (of.length > 0) show(`${name ?? 'others'}: ${inWords(sum(Object.fromEntries(of)))}\n`);
}
const all = sum(counts);
failures += all.failures;
show(`\nAll (${((Date.now() - started) / 1000).toFixed(1)} s):\n${inWords({ ...all, failures })}\n`);
process.exitCode = failures > 0 ? 1 : 0;

function inWords({ passes, failures, pending, seconds }: Counts): string {
  const skipped = pending > 0 ? `, ${pending} skipped` : '';
  return `${passes} passed, ${failures} failed${skipped} (${seconds.toFixed(1)} s of tests)`;
}
