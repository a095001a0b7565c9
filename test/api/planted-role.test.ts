import assert from 'node:assert/strict';
import { ROUTES } from '../../docs/openapi/routes.ts';
import type { Capability } from '../../shared/capabilities.ts';
import { SYNC_TIMEOUT_MS } from '../support/index-ready.ts';
import type { PlantedRole } from '../support/planted-role.ts';
import { startNode } from '../support/processes.ts';
import { EVERY_SESSION } from '../support/roles.ts';

const GRANTED: readonly (Capability | 'anyone' | 'session')[] = ['anyone', 'session', 'audit.read', ...EVERY_SESSION];

describe('a role that is one more row in the table of access', () => {
  let got: PlantedRole;
  before(async function () {
    this.timeout(SYNC_TIMEOUT_MS + 30_000);
    const program = startNode(['--no-warnings', '--import', 'tsx', 'test/support/planted-role.ts'], {
      TSX_TSCONFIG_PATH: 'test/tsconfig.json',
    });
    assert.equal(await program.ended(), 0, program.output());
    got = JSON.parse(program.output()) as PlantedRole;
  });

  it('signs in, and gets from each route what its row and every session are granted, and nothing else', () => {
    const expected = ROUTES.flatMap(({ method, who, examples = [] }) =>
      examples.map(([path, status]) => [`${method} ${path}`, GRANTED.includes(who) ? status : 403] as const),
    );
    assert.deepEqual(got.statuses, Object.fromEntries(expected));
  });

  it('is offered the pages of the app that have something for it, and no others', () => {
    assert.deepEqual(got.pages, ['Overview', 'Audit trail', 'System']);
  });
});
