import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { adviceOn } from '../../client/features/oauth-clients/client-tabs.tsx';
import { recreateCommand, tokenCommand } from '../../client/features/oauth-clients/developer-tab.tsx';
import { idInPath, idOfPath } from '../../client/lib/encoding.ts';

const DISCOVERY = {
  issuer: 'https://oauth.example',
  token_endpoint: 'https://oauth.example/oauth2/token',
  device_authorization_endpoint: 'https://oauth.example/oauth2/device/auth',
};
const ODD = `it's "$HOME" \`id\` \\ !x\n; rm -rf / #&|<>*?~ ü`;

/** Returns the arguments that a shell passes to `curl`. */
function argumentsOf(command: string): string[] {
  const script = `stty() { :; }; printf() { [ "$1" = 'Secret: ' ] || command printf "$@"; }; curl() { for argument; do printf '%s\\0' "$argument"; done; }\n${command}`;
  return execFileSync('/bin/sh', ['-c', `${script}\ncat >/dev/null`], { encoding: 'utf8', input: 'typed\n' })
    .split('\0')
    .slice(0, -1);
}

describe('the ID of a client in the URL of its page', () => {
  it('is unchanged if it is safe in a URL, and encoded unambiguously otherwise', () => {
    for (const id of ['web-shop', 'com.example.app']) assert.deepEqual([idInPath(id), idOfPath(id)], [id, id]);
    for (const id of ['https://app.example/client?a=1#b', '..', 'new', '~abc', 'a b', 'a%2Fb', 'ü', '.hidden']) {
      assert.match(idInPath(id), /^~[\w-]+$/);
      assert.equal(idOfPath(idInPath(id)), id);
    }
    assert.equal(idOfPath('~%%%'), '');
  });
});

describe('a command for a terminal', () => {
  const client = { client_id: ODD, client_name: ODD, metadata: { [ODD]: ODD }, created_at: 'x', owner: '', jwks: {} };

  it('recreates the client, whatever it contains, without members that the server sets', () => {
    const sent = argumentsOf(recreateCommand(client));
    assert.deepEqual(JSON.parse(sent.at(-1) ?? ''), { client_id: ODD, client_name: ODD, metadata: { [ODD]: ODD } });
    assert.equal(sent.at(-2), '--data-raw');
  });

  it('requests a token as the application does, and contains no secret', () => {
    const machine = { ...client, grant_types: ['client_credentials'], scope: ODD, audience: [ODD, 'b'] };
    const basic = tokenCommand({ ...machine, token_endpoint_auth_method: 'client_secret_basic' }, DISCOVERY);
    assert.deepEqual(argumentsOf(basic?.text ?? ''), [
      '--fail-with-body',
      DISCOVERY.token_endpoint,
      '--user',
      encodeURIComponent(ODD),
      '--data-urlencode',
      'grant_type=client_credentials',
      '--data-urlencode',
      `scope=${ODD}`,
      '--data-urlencode',
      `audience=${ODD}`,
      '--data-urlencode',
      'audience=b',
    ]);
    const inForm = tokenCommand({ ...machine, token_endpoint_auth_method: 'client_secret_post' }, DISCOVERY);
    assert.deepEqual(argumentsOf(inForm?.text ?? '').slice(-2), ['--data-urlencode', 'client_secret=typed']);
  });
});

describe('the recommendations for a client', () => {
  const advised: [string, object, number][] = [
    ['the implicit grant', { grant_types: ['implicit'] }, 1],
    ['a refresh grant without the scope offline_access', { grant_types: ['refresh_token'], scope: 'openid' }, 1],
    ['a refresh grant with offline_access', { grant_types: ['refresh_token'], scope: 'openid offline_access' }, 0],
    [
      'a redirect address with plain http',
      { redirect_uris: ['http://a.example/cb', 'http://localhost/cb', 'http://127.0.0.1:80/'] },
      1,
    ],
    ['a redirect address with a wildcard', { redirect_uris: ['https://a.example/*'] }, 1],
    ['a relative redirect address', { redirect_uris: ['/cb'] }, 1],
    [
      'client credentials of a public client',
      { grant_types: ['client_credentials'], token_endpoint_auth_method: 'none' },
      1,
    ],
    ['an authorization code grant without a redirect address', { grant_types: ['authorization_code'] }, 1],
    ['a client that has only a name', { client_name: 'x' }, 0],
  ];
  for (const [what, members, count] of advised)
    it(`${count === 0 ? 'are empty for' : 'include one on'} ${what}`, () =>
      assert.equal(adviceOn({ client_id: 'x', ...members }).length, count));
});
