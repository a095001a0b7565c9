import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findTool, type Tool } from '../support/tools.ts';
import { type Machine, provideTools } from '../support/tools-install.ts';

/** A machine on which apt-get works or does not, and what was run and said on it. */
function machineWith(options: { present: Tool[]; root?: boolean; ci?: boolean; aptGets?: Tool[] }) {
  const present = new Set(options.present);
  const ran: string[] = [];
  const said: string[] = [];
  const machine: Machine = {
    root: options.root ?? false,
    ci: options.ci ?? false,
    find: (tool) => (present.has(tool) ? `/bin/${tool}` : undefined),
    run: (command, args) => {
      ran.push([command, ...args].join(' '));
      if (args[0] === 'install') for (const tool of options.aptGets ?? []) present.add(tool);
      return true;
    },
    say: (line) => said.push(line),
  };
  return { machine, ran, said };
}

describe('tools beyond npm', () => {
  it('leave the machine alone when they are there', () => {
    const { machine, ran, said } = machineWith({ present: ['mariadb', 'chromium'], root: true, ci: true });
    assert.deepEqual(provideTools(['mariadb', 'chromium'], machine), { missing: [], failed: false });
    assert.deepEqual([ran, said], [[], []]);
  });

  it('are fetched for root through apt-get, the missing ones alone, and announced', () => {
    const { machine, ran, said } = machineWith({ present: ['chromium'], root: true, ci: true, aptGets: ['mariadb'] });
    assert.deepEqual(provideTools(['mariadb', 'chromium'], machine), { missing: [], failed: false });
    assert.deepEqual(ran, ['apt-get update', 'apt-get install --yes --no-install-recommends mariadb-server']);
    assert.deepEqual(said, ['MariaDB missing: apt-get install --yes --no-install-recommends mariadb-server']);
  });

  it('are left to anyone else with the one line to type', () => {
    const { machine, ran, said } = machineWith({ present: [] });
    assert.deepEqual(provideTools(['mariadb', 'chromium'], machine), {
      missing: ['mariadb', 'chromium'],
      failed: false,
    });
    assert.deepEqual(ran, []);
    assert.match(said.join('\n'), /MariaDB and Chromium missing: their suites are skipped\. To install:/);
    assert.equal(said.at(-1), '  sudo apt-get install mariadb-server chromium-headless-shell fonts-dejavu-core');
  });

  it('fail the run with CI=true when they are still missing', () => {
    const { machine } = machineWith({ present: [], root: true, ci: true });
    assert.deepEqual(provideTools(['chromium'], machine), { missing: ['chromium'], failed: true });
  });

  it('are found on the PATH and beyond it, if they can be run', () => {
    const folder = mkdtempSync(join(tmpdir(), 'tools-'));
    try {
      const executable = join(folder, 'mariadbd');
      writeFileSync(executable, '');
      assert.equal(findTool('mariadb', folder, []), undefined);
      chmodSync(executable, 0o755);
      assert.equal(findTool('mariadb', folder, []), executable);
      assert.equal(findTool('mariadb', '', [folder]), executable);
      assert.equal(findTool('chromium', folder, []), undefined);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
