import assert from 'node:assert/strict';
import { type Capability, can, holdersOf, roleName } from '../../shared/capabilities.ts';
import { ROLES } from '../../shared/session.ts';

const CAPABILITIES: readonly Capability[] = [
  'identities.read',
  'identities.write',
  'clients.read',
  'clients.write',
  'consents.read',
  'consents.write',
  'settings.read',
  'settings.write',
  'configuration.read',
  'sessions.read',
  'messages.read',
  'schemas.read',
  'security.read',
];

describe('what a role may do', () => {
  for (const capability of CAPABILITIES)
    it(`is ${capability} for administrators and for nobody else`, () => {
      assert.deepEqual(
        ROLES.filter((role) => can(role, capability)),
        ['admin'],
      );
      assert.equal(holdersOf(capability), 'administrators');
    });

  it('has a display name', () => {
    assert.deepEqual(ROLES.map(roleName), ['Administrator', 'Viewer']);
  });
});
