import assert from 'node:assert/strict';
import { parse } from 'yaml';
import { signInLogStep } from '../../server/checks/setup-services.ts';
import { type ConfigurationError, parseConfig } from '../../server/config/parse-config.ts';
import { KEY_VARIABLES } from '../../server/config/variables.ts';
import { TEST_KEYS } from '../support/context.ts';

const KEY = 'the-key-of-events-with-forty-different-bytes';
const ON = { EVENTS_PORT: '4318', EVENTS_KEY: KEY };
const BY_ID = {
  AUTH_URL: '',
  AUTH_ISSUER: 'https://id.example',
  OPERATORS_FROM: 'identity',
  IDENTITY_ADMIN_URL: 'http://k',
};
const PRODUCTION = { NODE_ENV: 'production', DATABASE_URL: 'sqlite:x', BASE_URL: 'https://a.test' };

const configWith = (env: NodeJS.ProcessEnv) =>
  parseConfig({ ...TEST_KEYS, AUTH_URL: 'https://login.example', OAUTH_CLIENT_ID: 'x', ...env });
const eventsWith = (env: NodeJS.ProcessEnv) => configWith(env).events ?? assert.fail();

describe('the listener for events', () => {
  it('is on only with a port, and without a key only on loopback', () => {
    for (const off of [{}, { EVENTS_KEY: KEY }, { EVENTS_PORT: 'tcp://10.0.0.1:80' }])
      assert.equal(configWith(off).events, undefined);
    const byDefault = { host: '127.0.0.1', port: 4318, key: undefined, days: 30 };
    assert.deepEqual(eventsWith({ EVENTS_PORT: '4318' }), byDefault);
    for (const host of ['::1', 'localhost']) eventsWith({ EVENTS_PORT: '4318', EVENTS_HOST: host });
    const changed = { host: '::', port: 4318, key: KEY, days: 365 };
    assert.deepEqual(eventsWith({ ...ON, EVENTS_HOST: '::', EVENTS_DAYS: '365' }), changed);
  });

  const SAME_KEY = [...KEY_VARIABLES, 'AUTH_IDENTITY_ADMIN_KEY', 'AUTH_ADMIN_KEY', 'OAUTH_CLIENT_SECRET'];
  const REFUSED: [env: NodeJS.ProcessEnv, problem: string][] = [
    [{ EVENTS_PORT: '4318', EVENTS_HOST: '0.0.0.0' }, 'EVENTS_KEY is required if EVENTS_HOST is not loopback'],
    [{ EVENTS_PORT: '4318', EVENTS_HOST: 'dashboard' }, 'EVENTS_KEY is required if EVENTS_HOST is not loopback'],
    [{ EVENTS_KEY: 'x'.repeat(31) }, 'EVENTS_KEY must have at least 32 bytes'],
    [{ EVENTS_KEY: `${KEY} é` }, 'EVENTS_KEY must consist of visible ASCII characters'],
    [{ ...PRODUCTION, EVENTS_KEY: 'abcdefg'.repeat(6) }, 'EVENTS_KEY must have at least 8 different bytes'],
    [{ EVENTS_HOST: 'a b' }, 'EVENTS_HOST must be an IP address or a host name'],
    [{ EVENTS_DAYS: '0' }, 'EVENTS_DAYS must be a whole number from 1 to 365'],
    [{ EVENTS_DAYS: '366' }, 'EVENTS_DAYS must be a whole number from 1 to 365'],
    [{ EVENTS_PORT: '3000' }, 'EVENTS_PORT must differ from PORT'],
    [{ EVENTS_PORT: '4318', METRICS_PORT: '4318' }, 'EVENTS_PORT must differ from METRICS_PORT'],
    ...SAME_KEY.map((name): [NodeJS.ProcessEnv, string] => [
      { ...(name === 'AUTH_ADMIN_KEY' ? { AUTH_ADMIN_URL: 'http://h' } : BY_ID), EVENTS_KEY: KEY, [name]: KEY },
      `EVENTS_KEY must differ from ${name}`,
    ]),
  ];
  it('is refused with a weak key, the key of anything else, or the port of another listener', () => {
    for (const [env, problem] of REFUSED)
      assert.throws(
        () => configWith(env),
        ({ problems }: ConfigurationError) => `${problems}` === problem,
        problem,
      );
  });

  it('is in the tracing that setup prints for Kratos and Hydra, without its key', async () => {
    for (const [host, url, hint] of [
      ['127.0.0.1', '127.0.0.1:4318', /only if EVENTS_HOST is not loopback/],
      ['::', 'DASHBOARD:4318', /Replace DASHBOARD/],
      ['fd00::1', '[fd00::1]:4318', /Replace \$\{EVENTS_KEY\}/],
    ] as const) {
      const { lines = [] } = await signInLogStep(eventsWith({ ...ON, EVENTS_HOST: host }), 'customer').look();
      assert.ok(!lines.join().includes(KEY));
      assert.match(lines.join(), hint);
      const { otlp } = parse(lines.filter((line) => /^t|^ /.test(line)).join('\n')).tracing.providers;
      assert.deepEqual([otlp.server_url, otlp.authorization_header], [url, `Bearer \${EVENTS_KEY}`]);
    }
  });
});
