import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigurationError, parseConfig } from '../../server/config/parse-config.ts';
import { FILE_VARIABLES } from '../../server/config/variables.ts';

const SIGNING = 'a-signing-key-of-more-than-thirty-two-bytes';
const ENCRYPTION = 'another-key-of-more-than-thirty-two-bytes!!';
const ADDRESSES = { AUTH_URL: 'https://login.example/', OAUTH_CLIENT_ID: 'dashboard' };

describe('secrets given as files', () => {
  let folder: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'secrets-'));
  });
  after(() => rmSync(folder, { recursive: true }));

  let files = 0;
  function file(content: string | Buffer): string {
    files += 1;
    const path = join(folder, `secret-${files}`);
    writeFileSync(path, content);
    return path;
  }
  const given = (env: NodeJS.ProcessEnv) => ({
    ...ADDRESSES,
    SESSION_SIGNING_KEY: SIGNING,
    ENCRYPTION_KEY_FILE: file(ENCRYPTION),
    ...env,
  });
  function problemsOf(env: NodeJS.ProcessEnv): readonly string[] {
    try {
      parseConfig(given(env));
    } catch (error) {
      assert.ok(error instanceof ConfigurationError);
      return error.problems;
    }
    return [];
  }

  it('can be the four keys, the database and the keys of the operators’ services', () => {
    const config = parseConfig({
      ...ADDRESSES,
      SESSION_SIGNING_KEY_FILE: file(SIGNING),
      SESSION_SIGNING_KEY_PREVIOUS_FILE: file(`${SIGNING}-previous`),
      ENCRYPTION_KEY_FILE: file(ENCRYPTION),
      ENCRYPTION_KEY_PREVIOUS_FILE: file(`${ENCRYPTION}-previous`),
      DATABASE_URL_FILE: file('sqlite:/somewhere.sqlite\n'),
      AUTH_IDENTITY_ADMIN_KEY_FILE: file('store-key\r\n'),
      AUTH_ADMIN_KEY_FILE: file('oauth-key'),
    });
    assert.deepEqual(config.sessionKeys, { current: SIGNING, previous: `${SIGNING}-previous` });
    assert.deepEqual(config.encryptionKeys, { current: ENCRYPTION, previous: `${ENCRYPTION}-previous` });
    assert.deepEqual(config.database, { client: 'sqlite', path: '/somewhere.sqlite' });
    assert.deepEqual([config.auth.store.key, config.auth.oauthAdmin.key], ['store-key', 'oauth-key']);
    assert.equal(FILE_VARIABLES.length, 7);
  });

  it('lose one newline at their end, and nothing else: a key is its bytes', () => {
    const keyIn = (content: string) =>
      parseConfig(given({ ENCRYPTION_KEY_FILE: file(content) })).encryptionKeys.current;
    assert.equal(keyIn(`${ENCRYPTION}\n`), ENCRYPTION);
    assert.equal(keyIn(`${ENCRYPTION}\r\n`), ENCRYPTION);
    assert.equal(keyIn(`${ENCRYPTION}\n\n`), `${ENCRYPTION}\n`);
    assert.equal(keyIn(` ${ENCRYPTION} `), ` ${ENCRYPTION} `);
    assert.equal(keyIn(`\uFEFF${ENCRYPTION}`), `\uFEFF${ENCRYPTION}`);
  });

  it('are refused by the name of the variable, together with all other problems', () => {
    const fifo = join(folder, 'fifo');
    execFileSync('mkfifo', [fifo]);
    const cases: [path: string, problem: string][] = [
      [join(folder, 'absent'), 'names a file that cannot be read: ENOENT'],
      [`${file('')}/below`, 'names a file that cannot be read: ENOTDIR'],
      [folder, 'must name a file'],
      [fifo, 'must name a file'],
      ['/dev/zero', 'must name a file'],
      [file(''), 'names an empty file'],
      [file('\n'), 'names an empty file'],
      [file(Buffer.from([0x61, 0xff, 0x62])), 'names a file that is not UTF-8 text'],
      [file('x'.repeat(64 * 1024 + 1)), 'names a file of more than 64 KiB'],
    ];
    for (const [path, problem] of cases)
      assert.deepEqual(problemsOf({ ENCRYPTION_KEY_FILE: path, PORT: 'x' }), [
        `ENCRYPTION_KEY_FILE ${problem}`,
        'PORT must be a whole number from 0 to 65535',
      ]);
    assert.deepEqual(problemsOf({ ENCRYPTION_KEY_FILE: file('x'.repeat(64 * 1024)) }), []);
  });

  it('are refused beside the variable itself, whichever comes first', () => {
    for (const { variable, file: name } of FILE_VARIABLES) {
      const problems = problemsOf({
        ENCRYPTION_KEY_FILE: undefined,
        ENCRYPTION_KEY: ENCRYPTION,
        [variable]: ENCRYPTION,
        [name]: file(ENCRYPTION),
      });
      assert.deepEqual(
        problems.filter((problem) => problem.includes('_FILE')),
        [`${name} must not be set as well as ${variable}`],
      );
    }
  });
});
