import assert from 'node:assert/strict';
import { exposures, sessionRuleNotice } from '../../server/config/config.ts';
import { ConfigurationError, parseConfig } from '../../server/config/parse-config.ts';

const KEY_A = 'a-signing-key-of-more-than-thirty-two-bytes';
const KEY_B = 'another-key-of-more-than-thirty-two-bytes!!';
const valid = {
  SESSION_SIGNING_KEY: KEY_A,
  ENCRYPTION_KEY: KEY_B,
  AUTH_URL: 'https://login.example/',
  OAUTH_CLIENT_ID: 'dashboard',
};

function problemsOf(env: NodeJS.ProcessEnv): readonly string[] {
  try {
    parseConfig(env);
  } catch (error) {
    assert.ok(error instanceof ConfigurationError);
    return error.problems;
  }
  return [];
}

describe('configuration', () => {
  it('of a minimal environment has the documented defaults', () => {
    const config = parseConfig(valid);
    assert.equal(config.deployment, 'customer');
    assert.equal(config.port, 3000);
    assert.equal(config.host, '127.0.0.1');
    assert.equal(config.baseUrl, 'http://localhost:3000');
    assert.equal(config.secureCookies, false);
    assert.equal(config.auth.url, 'https://login.example');
    assert.equal(config.auth.internalUrl, 'https://login.example');
    assert.equal(config.proxyTimeoutMs, 5000);
    assert.equal(config.keepAliveSeconds, 75);
    assert.equal(config.proxyRequireSession, 'outside');
    assert.equal(config.allowedNetworks, undefined);
    assert.deepEqual(config.database, { client: 'sqlite', path: './data/customer.sqlite' });
  });

  it('keeps the index in memory, in a file by its one path, or not at all', () => {
    const where = (IDENTITY_INDEX: string) => parseConfig({ ...valid, IDENTITY_INDEX }).identityIndex;
    assert.equal(where(''), 'memory');
    assert.equal(where('off'), 'off');
    assert.deepEqual(where('/var/lib/../lib/dashboard//people.index'), { file: '/var/lib/dashboard/people.index' });
  });

  const refused: [string, NodeJS.ProcessEnv, RegExp][] = [
    ['an index in a file by a relative path', { ...valid, IDENTITY_INDEX: 'people.index' }, /IDENTITY_INDEX/],
    ['an index by a path of 1,025 bytes', { ...valid, IDENTITY_INDEX: `/${'x'.repeat(1_024)}` }, /IDENTITY_INDEX/],
    ['no signing key', { SESSION_SIGNING_KEY: '' }, /SESSION_SIGNING_KEY is required/],
    ['a signing key of 31 bytes', { SESSION_SIGNING_KEY: 'x'.repeat(31) }, /SESSION_SIGNING_KEY must have at least 32/],
    ['no encryption key', { ENCRYPTION_KEY: undefined }, /ENCRYPTION_KEY is required/],
    ['both keys equal', { ENCRYPTION_KEY: KEY_A }, /ENCRYPTION_KEY must differ from SESSION_SIGNING_KEY/],
    [
      'a previous key equal to another',
      { ENCRYPTION_KEY_PREVIOUS: KEY_B },
      /ENCRYPTION_KEY_PREVIOUS must differ from ENCRYPTION_KEY/,
    ],
    ['a malformed DATABASE_URL', { DATABASE_URL: 'postgres://x' }, /DATABASE_URL must be .*; it must begin/],
    ['an unknown parameter', { DATABASE_URL: 'mysql://db/x?sslmode=require' }, /DATABASE_URL .*the parameter sslmode/],
    ['a BASE_URL with a path', { BASE_URL: 'https://a.test/x' }, /BASE_URL must be an origin/],
    ['a CIDR out of range', { ALLOWED_NETWORKS: '10.0.0.0/33' }, /ALLOWED_NETWORKS must be/],
    ['a PORT with letters', { PORT: '30a' }, /PORT must be a whole number/],
    ['a time limit below a second', { PROXY_TIMEOUT_MS: '999' }, /PROXY_TIMEOUT_MS must be/],
    [
      'TRUST_PROXY that no rule of Express can say',
      { TRUST_PROXY: '10.0.0.0/8,0.0.0.0/0' },
      /TRUST_PROXY must not cover/,
    ],
    ['TRUST_PROXY=true', { TRUST_PROXY: 'true' }, /TRUST_PROXY must be/],
    ['a misspelt NODE_ENV', { NODE_ENV: 'prod' }, /NODE_ENV must be one of/],
    ['operator schemas without a store', { OPERATOR_SCHEMA_IDS: 'operator' }, /OPERATOR_SCHEMA_IDS needs/],
    [
      'a key that no header carries',
      { AUTH_IDENTITY_ADMIN_KEY: 'two\nlines' },
      /AUTH_IDENTITY_ADMIN_KEY must be printable/,
    ],
    ['a role from nowhere', { OPERATOR_ROLE_FROM: 'metadata_public.role' }, /OPERATOR_ROLE_FROM must be one of/],
    ['a role without a store', { OPERATOR_ROLE_FROM: 'metadata_admin.role' }, /OPERATOR_ROLE_FROM needs/],
    ['a label of 25 characters', { ENVIRONMENT_LABEL: 'é'.repeat(25) }, /ENVIRONMENT_LABEL must have at most 24/],
    ['no AUTH_URL', { AUTH_URL: '' }, /AUTH_URL is required/],
    ['no client id', { OAUTH_CLIENT_ID: '' }, /OAUTH_CLIENT_ID is required/],
  ];
  for (const [title, env, problem] of refused)
    it(`with ${title} is refused by that name`, () => {
      const problems = problemsOf({ ...valid, ...env });
      assert.equal(problems.length, 1, problems.join());
      assert.match(problems[0] ?? '', problem);
    });

  it('in production needs a database, a base URL over https and keys of eight different bytes', () => {
    const problems = problemsOf({ ...valid, NODE_ENV: 'production', ENCRYPTION_KEY: 'abcdefg'.repeat(6) });
    assert.deepEqual(
      problems.map((problem) => problem.split(' ')[0]),
      ['BASE_URL', 'ENCRYPTION_KEY', 'DATABASE_URL'],
    );
    const plainHttp = problemsOf({
      ...valid,
      NODE_ENV: 'production',
      DATABASE_URL: 'sqlite:x',
      BASE_URL: 'http://a.test',
    });
    assert.deepEqual(plainHttp, ['BASE_URL must be https in production']);
    const local = { ...valid, NODE_ENV: 'production', DATABASE_URL: 'sqlite:x', BASE_URL: 'http://localhost:3000' };
    assert.deepEqual(problemsOf(local), []);
  });

  it('in production asks every caller of the admin proxies for a session, unless it is set or for this machine alone', () => {
    const production = { ...valid, NODE_ENV: 'production', DATABASE_URL: 'sqlite:x', OPERATOR_SCHEMA_IDS: 'any' };
    const here = 'http://workforce.localhost:3000';
    const there = 'https://dashboard.example';
    const CASES: [env: NodeJS.ProcessEnv, rule: string, said: RegExp | undefined][] = [
      [{ ...production, BASE_URL: there }, 'always', /is not set and defaults to true.* outside .*without one/],
      [{ ...production, BASE_URL: there, PROXY_REQUIRE_SESSION: ' ' }, 'always', /is not set and defaults to true/],
      [{ ...production, BASE_URL: here }, 'outside', /is not set and defaults to outside.* true /],
      [{ ...valid, BASE_URL: there }, 'outside', /is not set and defaults to outside/],
      [{ ...production, BASE_URL: there, PROXY_REQUIRE_SESSION: 'outside' }, 'outside', undefined],
      [{ ...production, BASE_URL: there, PROXY_REQUIRE_SESSION: 'false' }, 'never', undefined],
      [{ ...production, BASE_URL: here, PROXY_REQUIRE_SESSION: 'true' }, 'always', undefined],
    ];
    for (const [env, rule, said] of CASES) {
      const config = parseConfig(env);
      assert.equal(config.proxyRequireSession, rule);
      const exposure = sessionRuleNotice(config);
      if (said === undefined) assert.equal(exposure, undefined);
      else {
        assert.equal(exposure?.variable, 'PROXY_REQUIRE_SESSION');
        assert.match(exposure.text, said);
      }
    }
  });

  it('in production of the workforce refuses networks that together cover everything', () => {
    const env = {
      ...valid,
      NODE_ENV: 'production',
      DEPLOYMENT: 'workforce',
      DATABASE_URL: 'sqlite:x',
      BASE_URL: 'https://a.test',
    };
    for (const everything of ['0.0.0.0/0', '0.0.0.0/1,128.0.0.0/1', '::/1,8000::/1', '::ffff:0:0/96', '::/1'])
      assert.match(problemsOf({ ...env, ALLOWED_NETWORKS: everything }).join(), /ALLOWED_NETWORKS/, everything);
    assert.deepEqual(problemsOf({ ...env, ALLOWED_NETWORKS: '10.0.0.0/8,fc00::/7' }), []);
  });

  it('in production refuses TRUST_PROXY that covers everything in pieces', () => {
    const env = { ...valid, NODE_ENV: 'production', DATABASE_URL: 'sqlite:x', BASE_URL: 'https://a.test' };
    for (const everything of ['0.0.0.0/1,128.0.0.0/1', '::/1,8000::/1', '::ffff:0:0/96'])
      assert.match(problemsOf({ ...env, TRUST_PROXY: everything }).join(), /TRUST_PROXY must not cover/, everything);
    assert.deepEqual(problemsOf({ ...env, TRUST_PROXY: '10.0.0.0/8,fc00::/7' }), []);
  });

  it('sends a stored key to the origin of its upstream alone', () => {
    const STORES = { IDENTITY_ADMIN_URL: 'http://kratos:4434', IAM_IDENTITY_ADMIN_URL: 'http://iam:4434' };
    const HYDRA = { OAUTH_URL: 'https://login.example', OAUTH_ADMIN_URL: 'http://hydra:4445' };
    const CASES: [NodeJS.ProcessEnv, store: unknown[], oauthAdmin: unknown[]][] = [
      [STORES, ['http://kratos:4434', 'identity-admin'], [undefined, undefined]],
      [{ ...STORES, DEPLOYMENT: 'workforce' }, ['http://iam:4434', 'iam-identity-admin'], [undefined, undefined]],
      [
        { ...STORES, AUTH_IDENTITY_ADMIN_URL: 'http://iam:4434/x', ...HYDRA },
        ['http://iam:4434/x', 'iam-identity-admin'],
        ['http://hydra:4445', 'oauth-admin'],
      ],
      [
        { ...STORES, AUTH_IDENTITY_ADMIN_URL: 'http://kratos:5434', ...HYDRA, OAUTH_URL: 'https://customers.example' },
        ['http://kratos:5434', undefined],
        [undefined, undefined],
      ],
      [
        { AUTH_IDENTITY_ADMIN_URL: 'https://kratos:4434', ...HYDRA, AUTH_ADMIN_URL: 'http://hydra.other:4445' },
        ['https://kratos:4434', undefined],
        ['http://hydra.other:4445', undefined],
      ],
      [
        { ...HYDRA, OAUTH_URL: 'http://hydra:4444', AUTH_INTERNAL_URL: 'http://hydra:4444' },
        [undefined, undefined],
        ['http://hydra:4445', 'oauth-admin'],
      ],
    ];
    for (const [env, ...expected] of CASES) {
      const { store, oauthAdmin } = parseConfig({ ...valid, ...env }).auth;
      const found = [store, oauthAdmin].map(({ url, upstream }) => [url, upstream]);
      assert.deepEqual(found, expected, JSON.stringify(env));
    }
  });

  it('ignores what Kubernetes sets for a Service whose name makes one of ours', () => {
    assert.equal(parseConfig({ ...valid, METRICS_PORT: 'tcp://10.0.0.1:80' }).metrics, undefined);
    assert.match(problemsOf({ ...valid, METRICS_PORT: 'http://10.0.0.1:80' }).join(), /METRICS_PORT must be/);
  });

  describe('what stands open is named', () => {
    const HERE = { BASE_URL: 'http://localhost:3000', DATABASE_URL: 'sqlite:x' };
    const closed = { ...valid, OPERATOR_SCHEMA_IDS: 'any' };
    const named = (env: NodeJS.ProcessEnv): string[] =>
      exposures(parseConfig({ ...closed, ...env })).map(({ variable }) => variable);
    const cases: [string, NodeJS.ProcessEnv, string[]][] = [
      ['nothing', {}, []],
      ['any schema by omission', { OPERATOR_SCHEMA_IDS: '' }, ['OPERATOR_SCHEMA_IDS']],
      ['an OAuth server over plain http', { AUTH_URL: 'http://login.test' }, ['AUTH_URL']],
      ['one on this machine is none', { AUTH_URL: 'http://127.0.0.1:4444' }, []],
      ['admin proxies on the network', { HOST: '0.0.0.0' }, ['PROXY_REQUIRE_SESSION']],
      ['open to all on the network', { HOST: '::', PROXY_REQUIRE_SESSION: 'false' }, ['PROXY_REQUIRE_SESSION']],
      ['admin proxies behind a proxy', { BASE_URL: 'https://dashboard.example' }, ['PROXY_REQUIRE_SESSION']],
      ['admin proxies behind a trusted one', { TRUST_PROXY: '1' }, ['PROXY_REQUIRE_SESSION']],
      [
        'open to all on this machine, in production',
        { NODE_ENV: 'production', ...HERE, PROXY_REQUIRE_SESSION: 'false' },
        ['PROXY_REQUIRE_SESSION'],
      ],
      [
        'a store that no stored key is for',
        { AUTH_IDENTITY_ADMIN_URL: 'http://iam:4434' },
        ['AUTH_IDENTITY_ADMIN_KEY'],
      ],
      ['closed on the network is nothing', { HOST: '0.0.0.0', PROXY_REQUIRE_SESSION: 'true' }, []],
      ['a health check of this machine that is cut off', { ALLOWED_NETWORKS: '10.0.0.0/8' }, ['ALLOWED_NETWORKS']],
      ['one by the port of metrics is not', { ALLOWED_NETWORKS: '10.0.0.0/8', METRICS_PORT: '9464' }, []],
      ['nor one from loopback', { ALLOWED_NETWORKS: '10.0.0.0/8,127.0.0.1' }, []],
      ...[
        'change-me-0123456789-abcdefghijklmnop',
        'your-signing-key-0123456789-abcdefgh',
        'abcdabcdabcdabcdabcdabcdabcdabcdabcd',
        'my SECRET 0123456789 abcdefghijklmnop',
      ].map((key): [string, NodeJS.ProcessEnv, string[]] => [
        `the key ${key}`,
        { ENCRYPTION_KEY: key },
        ['ENCRYPTION_KEY'],
      ]),
    ];
    for (const [what, env, expected] of cases)
      it(what, () => {
        assert.deepEqual(named(env), expected);
      });

    it('without a value', () => {
      const env = { ENCRYPTION_KEY: 'change-me-0123456789-abcdefghijklmnop', AUTH_URL: 'http://login.test' };
      assert.doesNotMatch(JSON.stringify(exposures(parseConfig({ ...valid, ...env }))), /0123|login/);
    });
  });

  it('names every problem at once and no value', () => {
    const problems = problemsOf({ PORT: 'secret-port', DATABASE_URL: 'mysql:secret' });
    assert.equal(problems.length, 6);
    assert.doesNotMatch(problems.join(), /secret-port|mysql:secret/);
  });
});
