import { needsChromium } from '../support/browser.ts';
import { MOCHA, type PlantedRole, plantedRole } from '../support/planted-role.ts';

describe('a role that is one more row in the table of access, in a browser', function () {
  this.timeout(600_000);
  let planted: PlantedRole | undefined;
  before(async function () {
    needsChromium(this);
    planted = await plantedRole();
    await planted.run('node_modules/vite/bin/vite.js', 'build', '--logLevel', 'warn');
  });
  after(() => planted?.remove());

  it('is led to the pages and tabs that its row names, and asks for nothing that is refused', () =>
    planted?.run(MOCHA, 'test/e2e/roles.test.ts', '--grep', 'auditor'));
});
