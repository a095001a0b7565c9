import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { describeOnDatabases } from '../support/databases.ts';
import { openidVariables } from '../support/openid-double.ts';
import { setupOfSuite } from '../support/platform.ts';

describeOnDatabases('setup with an OpenID provider', (databases) => {
  const setup = setupOfSuite(databases);
  beforeEach(() => {
    // The sandbox’s OAuth server has a discovery document, like an OpenID provider.
    Object.assign(setup.variables, openidVariables(setup.platform.sandbox.url('oauth'), 'email'));
    Object.assign(setup.variables, { OAUTH_SIGN_OUT: 'provider', OAUTH_CLIENT_SECRET: 'a-distinctive-value' });
  });

  /** @returns the titles of the steps */
  async function apply(): Promise<string[]> {
    const plan = await setup.run();
    const { exitCode, lines } = await setup.run('--yes');
    const text = [...plan.lines, ...lines].join('\n');
    assert.equal(exitCode, 0, text);
    for (const path of ['/api/auth/callback', '/signed-out'])
      assert.ok(lines.some((line) => line.endsWith(` address: ${setup.baseUrl}${path}`)));
    assert.doesNotMatch(text, /Hydra|distinctive/);
    assert.equal(/Kratos/.test(text), setup.variables.OPERATORS_FROM !== 'claims');
    return lines.flatMap((line) => /^(?:done|ok) +([^:]+): /.exec(line)?.[1] ?? []);
  }

  it('creates no client, and an administrator without a link if the provider confirms the address', async () => {
    for (const name of ['OAUTH_URL', 'OAUTH_ADMIN_URL']) delete setup.variables[name];
    for (const _run of ['first', 'second']) {
      assert.deepEqual((await apply()).slice(-3), ['OpenID provider', 'Schema of operators', 'Administrator']);
      assert.deepEqual(setup.writes(), ['POST /admin/identities']);
    }
    const { AUTH_ISSUER: issuer } = setup.variables;
    for (const [wrong, text] of [
      ['http://127.0.0.1:9', 'Correct AUTH_ISSUER'],
      [`${issuer}/`, `counts. AUTH_ISSUER=${issuer}`],
    ] as const) {
      setup.variables.AUTH_ISSUER = wrong;
      assert.match(setup.lineOf(await setup.run(), 'OpenID provider'), new RegExp(`^failed .*${text}`));
    }
  });

  it('needs no identities for operators by claims, and refuses --admin', async () => {
    for (const name of ['IDENTITY_URL', 'IDENTITY_ADMIN_URL']) delete setup.variables[name];
    Object.assign(setup.variables, openidVariables(setup.platform.sandbox.url('oauth'), 'claims'));
    await assert.rejects(setup.run('--yes'), /^Error: .*--admin.*OPERATOR_ROLE_VALUES/);
    assert.equal(existsSync(setup.envFile), false);
    setup.admin = '';
    assert.equal((await apply()).at(-1), 'OpenID provider');
    assert.deepEqual(setup.writes(), []);
  });
});
