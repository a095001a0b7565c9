import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import type { Deps } from '../../server/deps.ts';
import { DAY, examinedDeployment, HOUR, randomKey } from '../support/posture.ts';

describe('the posture', () => {
  const own = examinedDeployment();

  async function putSecret(key = 'mail.password'): Promise<void> {
    const answer = await own.dashboard.call('/api/settings', {
      session: own.session,
      json: { key, value: 'swordfish', encrypted: true },
    });
    assert.ok(answer.ok);
  }

  it('of the session key’s age follows the first record that it made', async () => {
    assert.equal(await own.statusOf('session_key_rotation'), 'pass');
    assert.equal(await own.statusOf('session_key_rotation', { now: Date.now() + 366 * DAY }), 'warn');
    assert.equal(await own.statusOf('session_key_rotation', { now: Date.now() + 731 * DAY }), 'fail');
    const SESSION_SIGNING_KEY = randomKey();
    const later = { env: { SESSION_SIGNING_KEY }, now: Date.now() + 731 * DAY };
    assert.equal(await own.statusOf('session_key_rotation', later), 'unknown');
    const first = ({ audit }: Deps): Promise<void> => audit.record({ action: 'login', actor: 'x', target: null });
    assert.equal(await own.statusOf('session_key_rotation', { ...later, first }), 'pass');
  });

  it('of the encryption key’s age follows the first start with it, unless it was in use before', async () => {
    assert.equal(await own.statusOf('encryption_key_rotation'), 'pass');
    assert.equal(await own.statusOf('encryption_key_rotation', { now: Date.now() + 366 * DAY }), 'warn');
    assert.equal(await own.statusOf('encryption_key_rotation', { now: Date.now() + 731 * DAY }), 'fail');
    const ENCRYPTION_KEY = randomKey();
    assert.equal(
      await own.statusOf('encryption_key_rotation', { env: { ENCRYPTION_KEY }, now: Date.now() + 731 * DAY }),
      'pass',
    );

    // As after an update from a release that did not note it.
    await putSecret();
    await own.knex('key_sightings').delete();
    assert.equal(await own.statusOf('encryption_key_rotation'), 'unknown');
    await own.knex('settings').update({ updated_at: new Date(Date.now() - 731 * DAY).toISOString() });
    assert.equal(await own.statusOf('encryption_key_rotation'), 'fail');
  });

  it('of the keys’ strength follows the keys', async () => {
    const [SESSION_SIGNING_KEY, ENCRYPTION_KEY] = [randomKey(), randomKey()];
    const strong = { SESSION_SIGNING_KEY, ENCRYPTION_KEY };
    assert.equal(await own.statusOf('key_strength', { env: strong }), 'pass');
    const hex = randomBytes(32).toString('hex');
    assert.equal(await own.statusOf('key_strength', { env: { ...strong, ENCRYPTION_KEY: hex } }), 'pass');
    for (const weak of [
      'change-me-0123456789-abcdefghijklmnop',
      'YOUR-KEY-0123456789-ABCDEFGHIJKLMNOP',
      'qwertyuiopasdf'.repeat(4),
    ])
      for (const name of ['SESSION_SIGNING_KEY', 'ENCRYPTION_KEY', 'ENCRYPTION_KEY_PREVIOUS'])
        assert.equal(
          await own.statusOf('key_strength', { env: { ...strong, [name]: weak } }),
          'fail',
          `${name} ${weak}`,
        );
    const dull = 'abcabdabeabfacbacdaceacfadbadcadeadf';
    assert.equal(await own.statusOf('key_strength', { env: { ...strong, ENCRYPTION_KEY: dull } }), 'warn');
  });

  it('of a previous session key follows what it signed last', async () => {
    assert.equal(await own.statusOf('previous_keys'), 'pass');
    const swapped = {
      SESSION_SIGNING_KEY: randomKey(),
      SESSION_SIGNING_KEY_PREVIOUS: own.dashboard.env.SESSION_SIGNING_KEY,
    };
    const waiting = { SESSION_SIGNING_KEY_PREVIOUS: randomKey() };
    assert.equal(await own.statusOf('previous_keys', { env: waiting }), 'warn');
    assert.equal(await own.statusOf('previous_keys', { env: swapped }), 'unknown');
    const first = ({ audit }: Deps): Promise<void> => audit.record({ action: 'login', actor: 'x', target: null });
    assert.equal(await own.statusOf('previous_keys', { env: swapped, first }), 'pass');
    assert.equal(await own.statusOf('previous_keys', { env: swapped, now: Date.now() + 9 * HOUR }), 'warn');
    assert.equal(await own.statusOf('previous_keys', { env: swapped, now: Date.now() + 91 * DAY }), 'fail');
  });

  it('of a previous encryption key follows the time since it was replaced', async () => {
    const swapped = { ENCRYPTION_KEY: randomKey(), ENCRYPTION_KEY_PREVIOUS: own.dashboard.env.ENCRYPTION_KEY };
    assert.equal(await own.statusOf('previous_keys', { env: swapped }), 'pass');
    assert.equal(await own.statusOf('previous_keys', { env: swapped, now: Date.now() + 2 * DAY }), 'warn');
    assert.equal(await own.statusOf('previous_keys', { env: swapped, now: Date.now() + 91 * DAY }), 'fail');
  });

  it('of the encrypted settings follows the key that each needs', async () => {
    assert.equal(await own.statusOf('secrets_on_previous_key'), 'pass');
    await putSecret();
    assert.equal(await own.statusOf('secrets_on_previous_key'), 'pass');
    const ENCRYPTION_KEY = randomKey();
    const swapped = { ENCRYPTION_KEY, ENCRYPTION_KEY_PREVIOUS: own.dashboard.env.ENCRYPTION_KEY };
    assert.equal(await own.statusOf('secrets_on_previous_key', { env: swapped }), 'warn');
    assert.equal(await own.statusOf('secrets_on_previous_key', { env: { ENCRYPTION_KEY } }), 'fail');
    const first = async ({ vault }: Deps): Promise<void> => {
      await vault.put({ key: 'mail.password', value: 'anew' }, 'somebody');
    };
    assert.equal(await own.statusOf('secrets_on_previous_key', { env: swapped, first }), 'pass');
    await own.knex.schema.renameTable('settings', 'elsewhere');
    assert.equal(await own.statusOf('secrets_on_previous_key'), 'unknown');
  });
});
