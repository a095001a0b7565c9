import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { auditChain } from '../../server/audit/chain.ts';
import { keyAnchoring } from '../../server/audit/chain-watch.ts';
import { derivedKeys } from '../../server/crypto/signer.ts';
import { parseDatabaseUrl } from '../../server/db/database-address.ts';
import { openDatabase } from '../../server/db/open-database.ts';
import type { Deps } from '../../server/deps.ts';
import { silentLog } from '../support/context.ts';
import { DAY, examinedDeployment, HOUR, postureAt, randomKey, trailVerified } from '../support/posture.ts';

const signed = ({ audit }: Deps): Promise<void> => audit.record({ action: 'login', actor: 'x', target: null });

describe('the posture', () => {
  const own = examinedDeployment();

  async function putSecret(key = 'mail.password'): Promise<void> {
    const response = await own.dashboard.call('/api/settings', {
      session: own.session,
      json: { key, value: 'swordfish', encrypted: true },
    });
    assert.ok(response.ok);
  }

  it('of the session key’s age follows the first record signed with it', async () => {
    assert.equal(await own.statusOf('session_key_rotation'), 'pass');
    assert.equal(await own.statusOf('session_key_rotation', { now: Date.now() + 366 * DAY }), 'warn');
    assert.equal(await own.statusOf('session_key_rotation', { now: Date.now() + 731 * DAY }), 'fail');
    const later = { env: { SESSION_SIGNING_KEY: randomKey() }, now: Date.now() + 731 * DAY };
    assert.equal(await own.statusOf('session_key_rotation', later), 'unknown');
    assert.equal(await own.statusOf('session_key_rotation', { ...later, first: signed }), 'pass');
  });

  it('of the encryption key’s age follows the first start with it, unless it was in use before', async () => {
    assert.equal(await own.statusOf('encryption_key_rotation'), 'pass');
    assert.equal(await own.statusOf('encryption_key_rotation', { now: Date.now() + 366 * DAY }), 'warn');
    assert.equal(await own.statusOf('encryption_key_rotation', { now: Date.now() + 731 * DAY }), 'fail');
    // As after an update from a release that did not record it.
    await putSecret();
    await own.knex('key_sightings').delete();
    assert.equal(await own.statusOf('encryption_key_rotation'), 'unknown');
    await own.knex('settings').update({ updated_at: new Date(Date.now() - 731 * DAY).toISOString() });
    assert.equal(await own.statusOf('encryption_key_rotation'), 'fail');
  });

  it('of the keys’ strength follows the keys', async () => {
    const strong = { SESSION_SIGNING_KEY: randomKey(), ENCRYPTION_KEY: randomBytes(32).toString('hex') };
    const strength = (env: NodeJS.ProcessEnv) => own.statusOf('key_strength', { env: { ...strong, ...env } });
    assert.equal(await strength({}), 'pass');
    for (const name of ['SESSION_SIGNING_KEY', 'ENCRYPTION_KEY', 'ENCRYPTION_KEY_PREVIOUS'])
      assert.equal(await strength({ [name]: 'change-me-0123456789-abcdefghijklmnop' }), 'fail', name);
    assert.equal(await strength({ ENCRYPTION_KEY: 'abcabdabeabfacbacdaceacfadbadcadeadf' }), 'warn');
  });

  it('of a previous session key says when it can be removed: once the current one vouches for the records that it made', async () => {
    const current = randomKey();
    const previous = own.dashboard.env.SESSION_SIGNING_KEY ?? '';
    const now = Date.now() + 9 * HOUR;
    const env: NodeJS.ProcessEnv = {
      ...own.dashboard.env,
      SESSION_SIGNING_KEY: current,
      SESSION_SIGNING_KEY_PREVIOUS: previous,
    };
    const actionAfter = async (first?: (deps: Deps) => Promise<void>): Promise<string> =>
      (await postureAt({ env, now, first }))('previous_keys').action;
    assert.match(await actionAfter(signed), /^Keep SESSION_SIGNING_KEY_PREVIOUS for now/);

    const database = openDatabase(parseDatabaseUrl(env.DATABASE_URL ?? ''), { warn: () => {} });
    const chain = auditChain(derivedKeys({ current, previous }, 'audit-trail'));
    const seal = async ({ audit }: Deps): Promise<void> => {
      let elapsed = 0;
      const anchoring = keyAnchoring({ database, chain, audit, log: silentLog, elapsed: () => elapsed });
      await anchoring.look();
      elapsed += HOUR;
      await anchoring.look();
    };
    assert.match(await actionAfter(seal), /^Unset SESSION_SIGNING_KEY_PREVIOUS/);
    await database.close();
    const { SESSION_SIGNING_KEY_PREVIOUS: _, ...alone } = env;
    const whole = await postureAt({ env: alone, now, first: trailVerified });
    assert.equal(whole('audit_chain').status, 'pass', 'without the previous key too');
  });

  it('of a previous encryption key follows the time since it was replaced', async () => {
    const env = { ENCRYPTION_KEY: randomKey(), ENCRYPTION_KEY_PREVIOUS: own.dashboard.env.ENCRYPTION_KEY };
    for (const [days, status] of [
      [0, 'pass'],
      [2, 'warn'],
      [91, 'fail'],
    ] as const)
      assert.equal(await own.statusOf('previous_keys', { env, now: Date.now() + days * DAY }), status);
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
      await vault.put({ key: 'mail.password', value: 'again' }, 'somebody');
    };
    assert.equal(await own.statusOf('secrets_on_previous_key', { env: swapped, first }), 'warn', 'its earlier version');
    const rekey = async (deps: Deps): Promise<void> => {
      const { rekeyed, versions } = await deps.rekeySettings(() => {});
      assert.deepEqual([rekeyed, versions], [0, 1]);
    };
    assert.equal(await own.statusOf('secrets_on_previous_key', { env: swapped, first: rekey }), 'pass');
  });
});
