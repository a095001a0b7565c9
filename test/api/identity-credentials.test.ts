import assert from 'node:assert/strict';
import type { IdentityCredentials } from '../../shared/identity-credentials.ts';
import { type MappedDashboard, startMappedDashboard } from '../support/mapped-dashboard.ts';

const ID = '6e0b4b1c-9d1f-4a55-8d5a-5d0c5f3a7b11';
const AT = '2026-01-31T09:00:00.5Z';

describe('credentials of an identity', () => {
  let mapped: MappedDashboard;
  before(async () => {
    mapped = await startMappedDashboard();
  });
  beforeEach(() => {
    mapped.identityAdmin.calm();
  });
  after(() => mapped.close());

  const call = (id: string) =>
    mapped.dashboard.call(`/api/identities/${id}/credentials`, { session: mapped.sessions.admin });

  /** Makes the store return one identity with these credentials. */
  function give(credentials: Record<string, object>): void {
    const whole = Object.fromEntries(
      Object.entries(credentials).map(([type, own]) => [
        type,
        { type, version: 0, created_at: AT, updated_at: AT, ...own },
      ]),
    );
    const body = JSON.stringify({ id: ID, schema_id: 'person', state: 'active', traits: {}, credentials: whole });
    mapped.identityAdmin.before = () => ({ status: 200, body });
  }

  it('show which are set and which can be deleted, and no secrets', async () => {
    // As stored by Kratos.
    const key = {
      id: 'SECRET',
      public_key: 'SECRET',
      authenticator: { aaguid: 'SECRET', sign_count: 4711, clone_warning: false },
    };
    give({
      password: { identifiers: ['ada@example.test'], config: { hashed_password: '$2a$SECRET' } },
      oidc: { identifiers: ['google:1', 'github:2'], config: { providers: [{ initial_access_token: 'SECRET' }] } },
      totp: { identifiers: [ID], config: { totp_url: 'otpauth://totp/SECRET' } },
      webauthn: {
        identifiers: ['ada@example.test'],
        config: {
          user_handle: 'SECRET',
          credentials: [
            { ...key, display_name: 'Desk', added_at: AT },
            { ...key, display_name: ' ', added_at: '0001-01-01T00:00:00Z' },
            'SECRET',
          ],
        },
      },
      passkey: { identifiers: ['handle'], config: { credentials: [{ ...key, display_name: 'Phone', added_at: AT }] } },
      code: { identifiers: ['ada@example.test'], config: { addresses: ['SECRET'] } },
    });
    const response = await call(ID);
    const text = await response.text();
    assert.doesNotMatch(text, /SECRET|4711|config/);
    const added_at = '2026-01-31T09:00:00.500Z';
    const unnamed = { name: null, added_at: null };
    const phone = { name: 'Phone', added_at };
    const times = { created_at: added_at, updated_at: added_at };
    assert.deepEqual(JSON.parse(text), {
      credentials: [
        { type: 'code', set: true, identifiers: ['ada@example.test'], deletable: false, ...times },
        { type: 'oidc', set: true, identifiers: ['github:2', 'google:1'], deletable: true, ...times },
        { type: 'passkey', set: true, identifiers: ['handle'], deletable: false, keys: [phone], ...times },
        { type: 'password', set: true, identifiers: ['ada@example.test'], deletable: true, ...times },
        { type: 'totp', set: true, identifiers: [], deletable: true, ...times },
        {
          type: 'webauthn',
          set: true,
          identifiers: ['ada@example.test'],
          deletable: true,
          keys: [{ name: 'Desk', added_at }, unnamed, unnamed],
          ...times,
        },
      ],
    });
    assert.deepEqual(
      mapped.identityAdmin.seen.map(({ path }) => path),
      [`/admin/identities/${ID}?include_credential=password&include_credential=webauthn&include_credential=passkey`],
    );
  });

  it('that only the schema lists are not set and cannot be deleted', async () => {
    give({
      password: { identifiers: ['ada@example.test'], config: {} },
      webauthn: { identifiers: ['ada@example.test'], config: { credentials: [] } },
      passkey: { identifiers: ['handle'] },
      oidc: { identifiers: [], config: { providers: [] } },
      code: { identifiers: null, created_at: '0001-01-01T00:00:00Z', updated_at: 7 },
    });
    const { credentials } = (await (await call(ID)).json()) as IdentityCredentials;
    assert.equal(credentials.length, 5);
    for (const { type, set, deletable } of credentials) assert.deepEqual([set, deletable], [false, false], type);
    assert.deepEqual([credentials[0]?.created_at, credentials[0]?.updated_at], [null, null]);
  });

  it('of an unknown identity are 404, and only UUIDs are looked up', async () => {
    assert.equal((await call(ID)).status, 404);
    mapped.identityAdmin.calm();
    for (const id of ['not-a-uuid', `${ID}x`, 'a%2fb']) assert.equal((await call(id)).status, 404, id);
    assert.deepEqual(mapped.identityAdmin.seen, []);
  });
});
