import { MOCHA, type PlantedRole, plantedRole } from '../support/planted-role.ts';

describe('a role that is one more row in the table of access', function () {
  this.timeout(300_000);
  let planted: PlantedRole;
  before(async () => {
    planted = await plantedRole();
  });
  after(() => planted.remove());

  it('compiles without another word', () => planted.run('node_modules/typescript/bin/tsc', '-p', 'server', '--noEmit'));

  it('signs in, and gets from each route what its row says and nothing else', () =>
    planted.run(MOCHA, 'test/api/route-roles.test.ts', 'test/api/route-table.test.ts'));

  it('is offered what its row says', () => planted.run(MOCHA, 'test/client/capabilities.test.ts'));
});
