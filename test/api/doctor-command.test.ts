import assert from 'node:assert/strict';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../support/free-port.ts';
import { SERVICE, startNode } from '../support/processes.ts';

/** Each would be found in what is printed. */
const SECRETS = {
  SESSION_SIGNING_KEY: 'distinctive-signing-key-Zm9vYmFyMTIzNDU2Nzg5MA',
  SESSION_SIGNING_KEY_PREVIOUS: 'distinctive-former-signing-key-QmFyYmF6OTg3NjU0MzIx',
  ENCRYPTION_KEY: 'distinctive-encryption-key-cXV1eGNvcmdlMTIzNDU2',
  ENCRYPTION_KEY_PREVIOUS: 'distinctive-former-encryption-key-Z3JhdWx0NjU0MzIx',
  AUTH_IDENTITY_ADMIN_KEY: 'distinctive-store-key',
};

describe('the command doctor', () => {
  let nothing: string;
  before(async () => {
    nothing = `127.0.0.1:${await freePort()}`;
  });

  async function run(args: string[], changed: Record<string, string> = {}) {
    const url = `http://${nothing}`;
    const running = startNode([...SERVICE, 'doctor', ...args], {
      ...SECRETS,
      NODE_ENV: 'production',
      BASE_URL: 'https://dashboard.example',
      DATABASE_URL: `mysql://dashboard:distinctive%2Fpassword@${nothing}/dashboard`,
      OAUTH_CLIENT_ID: 'dashboard',
      OPERATOR_SCHEMA_IDS: 'operator',
      ...Object.fromEntries(
        ['AUTH_URL', 'IDENTITY_URL', 'IDENTITY_ADMIN_URL', 'OAUTH_URL', 'OAUTH_ADMIN_URL'].map((name) => [name, url]),
      ),
      ...changed,
    });
    const code = await running.ended();
    const output = running.output();
    assert.doesNotMatch(output, /distinctive/);
    return { code, output };
  }

  it('says where nothing responds what keeps operators out', async () => {
    const { code, output } = await run(['--from', `http://${nothing}`]);
    assert.equal(code, 1);
    for (const title of ['The database', 'Administrators', 'The OAuth 2.0 server', 'The dashboard from outside'])
      assert.match(output, new RegExp(`^LOCKED +${title}`, 'm'));
    for (const line of output.split('\n')) if (!line.includes(' $ ')) assert.ok(line.length <= 100, line);
  });

  it('checks the environment alone, for people and for programs', async () => {
    const right = await run(['--environment', '--json'], {
      DATABASE_URL: `sqlite:${join(tmpdir(), 'nothing.sqlite')}`,
    });
    assert.equal(right.code, 0);
    assert.deepEqual(
      JSON.parse(right.output).checks.map(({ id, status }: Record<string, string>) => [id, status]),
      [['environment', 'pass']],
    );
    const wrong = await run(['--environment'], {
      DATABASE_URL: 'mysql://dashboard:distinctive/pass#word@127.0.0.1/dashboard',
      AUTH_URL: 'https://distinctive:distinctive@auth.example',
      DATABASE_URI: 'distinctive',
    });
    assert.equal(wrong.code, 1);
    for (const name of ['DATABASE_URL', 'AUTH_URL', 'DATABASE_URI'])
      assert.match(wrong.output, new RegExp(`^LOCKED +The environment +${name} `, 'm'));
    assert.match(wrong.output, /percent-encode/);
  });
});
