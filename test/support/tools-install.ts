// node server/launcher/install.mjs test/support/tools-install.ts TOOL…: installs missing tools through apt-get, as root on a
// Debian-like system; prints the command for everyone else.
import { spawnSync } from 'node:child_process';
import { findTool, TOOLS, type Tool } from './tools.ts';

const isTool = (name: string): name is Tool => name in TOOLS;
const titlesOf = (tools: readonly Tool[]): string => tools.map((tool) => TOOLS[tool].title).join(' and ');
const packagesOf = (tools: readonly Tool[]): string[] => tools.flatMap((tool) => [...TOOLS[tool].packages]);

// Tests use the database in the environment, if there is one.
const needed = process.argv
  .slice(2)
  .filter(isTool)
  .filter((tool) => tool !== 'mariadb' || !process.env['TEST_DATABASE_URL']);
const missing = (): Tool[] => needed.filter((tool) => findTool(tool) === undefined);

if (missing().length > 0 && process.getuid?.() === 0) {
  const install = ['install', '--yes', '--no-install-recommends', ...packagesOf(missing())];
  print(`${titlesOf(missing())} missing: apt-get ${install.join(' ')}`);
  if (aptGet(['update'])) aptGet(install);
}
if (missing().length > 0) {
  const isFailure = process.env['CI'] === 'true';
  print(`${titlesOf(missing())} missing: ${isFailure ? 'a failure with CI=true' : 'tests are skipped'}. To install:`);
  print(`  sudo apt-get install ${packagesOf(missing()).join(' ')}`);
  if (isFailure) process.exitCode = 1;
}

function aptGet(args: string[]): boolean {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  return spawnSync('apt-get', args, { stdio: 'inherit', env }).status === 0;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
