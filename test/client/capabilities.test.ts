import assert from 'node:assert/strict';
import { CAPABILITIES, can, holdersOf, ROLES, roleName } from '../../shared/capabilities.ts';
import { may } from '../routes/roles.ts';

describe('what a role may do', () => {
  for (const role of ROLES)
    it(`is in the table of access what it is in the tests' own: ${role}`, () => {
      assert.deepEqual(
        CAPABILITIES.filter((capability) => can(role, capability)),
        CAPABILITIES.filter((capability) => may(role, capability)),
      );
    });

  it('has display names, of the roles that have one of several capabilities', () => {
    assert.equal(roleName('admin'), 'Administrator');
    assert.equal(holdersOf(['settings.write']), 'administrators');
    assert.match(holdersOf(['settings.write', 'statistics.read']), /^administrators and viewers/);
  });
});
