import { spawnSync } from 'node:child_process';
import { findTool, TOOLS, type Tool } from './tools.ts';

export interface Machine {
  root: boolean;
  /** Missing tools are failures rather than skipped suites. */
  ci: boolean;
  find: (tool: Tool) => string | undefined;
  /** Runs a command with the terminal as its output; true when it ended well. */
  run: (command: string, args: string[]) => boolean;
  say: (line: string) => void;
}

export const thisMachine: Machine = {
  root: process.getuid?.() === 0,
  ci: process.env['CI'] === 'true',
  find: (tool) => findTool(tool),
  run: (command, args) =>
    spawnSync(command, args, { stdio: 'inherit', env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } })
      .status === 0,
  say: (line) => process.stdout.write(`${line}\n`),
};

const INSTALL = ['install', '--yes', '--no-install-recommends'];

/**
 * Sees to it that the tools are there: root on a Debian-like system gets the missing ones through apt-get, anyone else
 * the line to type.
 * @returns the tools that are still missing, and whether that fails the run
 */
export function provideTools(
  tools: readonly Tool[],
  machine: Machine = thisMachine,
): { missing: Tool[]; failed: boolean } {
  const absent = tools.filter((tool) => machine.find(tool) === undefined);
  if (absent.length === 0) return { missing: [], failed: false };
  const titles = (list: readonly Tool[]) => list.map((tool) => TOOLS[tool].title).join(' and ');
  const packages = absent.flatMap((tool) => [...TOOLS[tool].packages]);
  if (machine.root) {
    machine.say(`${titles(absent)} missing: apt-get ${INSTALL.join(' ')} ${packages.join(' ')}`);
    if (machine.run('apt-get', ['update'])) machine.run('apt-get', [...INSTALL, ...packages]);
  }
  const missing = absent.filter((tool) => machine.find(tool) === undefined);
  if (missing.length > 0) {
    machine.say(
      `${titles(missing)} missing: ${machine.ci ? 'a failure with CI=true' : 'their suites are skipped'}. To install:`,
    );
    machine.say(`  sudo apt-get install ${missing.flatMap((tool) => [...TOOLS[tool].packages]).join(' ')}`);
  }
  return { missing, failed: machine.ci && missing.length > 0 };
}
