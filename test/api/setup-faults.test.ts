import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { auditChain } from '../../server/audit/audit-chain.ts';
import { verifyChain } from '../../server/audit/verify-chain.ts';
import { parseConfig } from '../../server/config/parse-config.ts';
import { derivedKeys } from '../../server/crypto/signer.ts';
import { describeOnDatabases } from '../support/databases.ts';
import { ADMIN, checkIn, examined, setupRun } from '../support/examined-platform.ts';
import type { SeenRequest } from '../support/faulting-upstream.ts';
import { SERVICE, startNode } from '../support/processes.ts';
import { recordsOf } from '../support/vault.ts';

const OTHER = {
  id: 'b9a3a5b6-8a9f-4d39-9a52-5d2b7f0f1c11',
  schema_id: 'operator',
  state: 'active',
  traits: { email: 'chief@example.com', role: 'admin' },
};

describeOnDatabases('setup and what goes wrong', (databases) => {
  const own = setupRun(databases);
  const administrators = () => own.asAdmin<unknown[]>('identityAdmin', 'GET', '/admin/identities');

  it('run for the first time twice at once leaves one file, with the keys of what is stored', async () => {
    const both = await Promise.all([own.run('--yes'), own.run('--yes')]);
    const failed = both.filter(({ exitCode }) => exitCode === 1);
    assert.equal(failed.length, 1, JSON.stringify(both));
    assert.match(
      own.rowOf(failed[0] ?? { lines: [] }, 'Environment file'),
      /^failed .*was changed meanwhile: run this again/,
    );
    const again = await own.run('--yes');
    assert.equal(again.exitCode, 0, again.lines.join('\n'));
    const env = own.environment();
    assert.equal(checkIn(await examined(env), 'upstream_keys')?.status, 'pass');
    const chain = auditChain(derivedKeys(parseConfig(env).sessionKeys, 'audit-trail'));
    assert.equal((await verifyChain(databases.open(own.databaseUrl), chain)).ok, true);
    assert.equal((await administrators()).length, 1);
  });

  it('killed at any write, goes on where it was', async () => {
    const given = Object.entries(own.given).filter((entry): entry is [string, string] => entry[1] !== undefined);
    const args = ['setup', '--file', own.envFile, '--admin', ADMIN, '--yes'];
    for (const name of ['identity-admin', 'oauth-admin']) args.push('--key', `${name}=${own.keyFile}`);
    // Node 20 reads this option, too, and wants the file.
    writeFileSync(own.envFile, '', { mode: 0o600 });
    for (const path of [/^\/admin\/clients/, /^\/admin\/identities/, /^\/admin\/recovery/])
      for (const arrives of [false, true]) {
        await own.empty();
        const running = startNode([...SERVICE, ...args], Object.fromEntries(given));
        const isDue = ({ method, path: asked }: SeenRequest): boolean =>
          method === 'POST' && path.test(asked) && process.kill(running.pid, 'SIGKILL');
        for (const service of Object.values(own.platform.services)) {
          if (arrives) service.after = (asked) => (isDue(asked) ? 'lost' : undefined);
          else service.before = (asked) => (isDue(asked) ? 'silence' : undefined);
        }
        assert.equal(await running.ended(), null, running.output());
        for (const service of Object.values(own.platform.services)) service.calm();
        const again = await own.run('--yes');
        assert.equal(again.exitCode, 0, `${path} ${arrives}: ${again.lines.join('\n')}`);
        assert.equal((await administrators()).length, 1);
      }
  }).timeout(120_000);

  it('makes a link for nobody but the person it was asked for', async () => {
    await own.run('--yes');
    for (const service of Object.values(own.platform.services)) service.calm();
    own.platform.services.identityAdmin.before = ({ path }) =>
      path.includes('credentials_identifier') ? { status: 200, body: JSON.stringify([OTHER]) } : undefined;
    const found = await own.run('--yes');
    assert.equal(found.exitCode, 1);
    assert.match(own.rowOf(found, 'Administrator'), /^failed .*somebody else/);
    assert.deepEqual(own.wrote(), []);
  });

  it('records a write that was refused, and one whose answer was lost', async () => {
    own.platform.services.oauthAdmin.before = ({ method }) =>
      method === 'POST' ? { status: 500, body: '{}' } : undefined;
    await own.run('--yes');
    own.platform.services.oauthAdmin.calm();
    own.platform.services.oauthAdmin.after = ({ method }) => (method === 'POST' ? 'lost' : undefined);
    await own.run('--yes');
    const writes = (await recordsOf(databases.open(own.databaseUrl))).filter(({ action }) => action === 'proxy_write');
    assert.deepEqual(
      writes.map(({ target, details }) => [target, (details as { status: unknown }).status]),
      [
        ['/api/oauth-admin/admin/clients', 500],
        ['/api/oauth-admin/admin/clients', null],
      ],
    );
  });

  it('never replaces a key of the file', async () => {
    await own.run('--yes');
    const text = readFileSync(own.envFile, 'utf8');
    own.given.ENCRYPTION_KEY = 'another-encryption-key-0123456789-abcdefghijkl';
    for (const arguments_ of [[], ['--yes']])
      await assert.rejects(own.run(...arguments_), /^Error: ENCRYPTION_KEY is another than in .*customer\.env/);
    assert.equal(readFileSync(own.envFile, 'utf8'), text);
    own.given.ENCRYPTION_KEY_PREVIOUS = own.environment().ENCRYPTION_KEY;
    assert.equal((await own.run('--yes')).exitCode, 0);
    assert.equal(own.environment().ENCRYPTION_KEY, own.given.ENCRYPTION_KEY);
  });

  it('keeps what a person wrote into the file', async () => {
    await own.run('--yes');
    const text = `# Ours.\n${readFileSync(own.envFile, 'utf8')}\n# The end.\n`;
    writeFileSync(own.envFile, text);
    own.given.BASE_URL = 'http://localhost:9999';
    own.given.ENVIRONMENT_LABEL = 'new';
    assert.equal((await own.run('--yes')).exitCode, 0);
    assert.equal(
      readFileSync(own.envFile, 'utf8'),
      `${text.replace(`BASE_URL=${own.baseUrl}`, 'BASE_URL=http://localhost:9999')}ENVIRONMENT_LABEL=new\n`,
    );
  });
});
