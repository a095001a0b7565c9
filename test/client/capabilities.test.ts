import assert from 'node:assert/strict';
import { CAPABILITIES, can, holdersOf, ROLES, roleName } from '../../shared/capabilities.ts';
import { may } from '../support/roles.ts';

describe('a role', () => {
  for (const role of ROLES)
    it(`has the same capabilities in the access table as in the tests: ${role}`, () => {
      assert.deepEqual(
        CAPABILITIES.filter((capability) => can(role, capability)),
        CAPABILITIES.filter((capability) => may(role, capability)),
      );
    });

  it('has a display name, and several are named by the capabilities that they have', () => {
    assert.equal(roleName('admin'), 'Administrator');
    assert.equal(holdersOf(['settings.write']), 'administrators');
    assert.match(holdersOf(['settings.write', 'statistics.read']), /^administrators and viewers/);
  });
});
