import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { exposures, sessionRuleNotice } from '../../server/config/config.ts';
import { ConfigurationError, parseConfig } from '../../server/config/parse-config.ts';
import { FILE_VARIABLES } from '../../server/config/variables.ts';
import { folderOfSuite } from '../support/of-suite.ts';

const SIGNING_KEY = 'a-signing-key-of-more-than-thirty-two-bytes';
const ENCRYPTION_KEY = 'another-key-of-more-than-thirty-two-bytes!!';
const VALID = {
  SESSION_SIGNING_KEY: SIGNING_KEY,
  ENCRYPTION_KEY,
  AUTH_URL: 'https://login.example/',
  OAUTH_CLIENT_ID: 'dashboard',
};
const EVENTS = { EVENTS_PORT: '4318', EVENTS_KEY: `${SIGNING_KEY}-of-events` };
const ISSUER = { AUTH_URL: '', AUTH_ISSUER: 'http://[::1]:9000/', OPERATORS_FROM: 'identity' };
const BY_ID = { ...VALID, ...ISSUER, IDENTITY_ADMIN_URL: 'http://kratos:4434' };
const PRODUCTION = { ...VALID, NODE_ENV: 'production', DATABASE_URL: 'sqlite:x', BASE_URL: 'https://a.test' };

function problemsOf(env: NodeJS.ProcessEnv): readonly string[] {
  try {
    parseConfig(env);
  } catch (error) {
    assert.ok(error instanceof ConfigurationError);
    return error.problems;
  }
  return [];
}

describe('the configuration', () => {
  // test/unit/documents.test.ts compares the other defaults with docs/configure.md.
  it('defaults to a base URL on localhost without Secure cookies, to any network, and to a SQLite file', () => {
    const config = parseConfig(VALID);
    assert.equal(config.baseUrl, 'http://localhost:3000');
    assert.equal(config.secureCookies, false);
    const url = 'https://login.example';
    assert.deepEqual(config.auth.provider, { kind: 'oauth2', url, internalUrl: url });
    assert.equal(config.allowedNetworks, undefined);
    assert.deepEqual(config.database, { client: 'sqlite', path: './data/customer.sqlite' });
  });

  it('places the index of identities in memory or in a file with a normalised path, or turns it off', () => {
    const indexWith = (IDENTITY_INDEX: string) => parseConfig({ ...VALID, IDENTITY_INDEX }).identityIndex;
    assert.equal(indexWith(''), 'memory');
    assert.equal(indexWith('off'), 'off');
    assert.deepEqual(indexWith('/var/lib/../lib/dashboard//people.index'), { file: '/var/lib/dashboard/people.index' });
  });

  const INVALID: [title: string, env: NodeJS.ProcessEnv, problem: RegExp][] = [
    ['an index file with a relative path', { IDENTITY_INDEX: 'people.index' }, /must be/],
    ['an index file with a path of 1,025 bytes', { IDENTITY_INDEX: `/${'x'.repeat(1_024)}` }, /must be/],
    ['a missing signing key', { SESSION_SIGNING_KEY: '' }, /is required/],
    ['a signing key of 31 bytes', { SESSION_SIGNING_KEY: 'x'.repeat(31) }, /must have at least 32/],
    ['a missing encryption key', { ENCRYPTION_KEY: undefined }, /is required/],
    [
      'an encryption key equal to the signing key',
      { ENCRYPTION_KEY: SIGNING_KEY },
      /must differ from SESSION_SIGNING_KEY/,
    ],
    [
      'a previous encryption key equal to the current one',
      { ENCRYPTION_KEY_PREVIOUS: ENCRYPTION_KEY },
      /must differ from ENCRYPTION_KEY/,
    ],
    ['a malformed DATABASE_URL', { DATABASE_URL: 'postgres://x' }, /must be .*; it must begin/],
    ['a BASE_URL with a path', { BASE_URL: 'https://a.test/x' }, /must be an origin/],
    ['a CIDR range with an invalid prefix length', { ALLOWED_NETWORKS: '10.0.0.0/33' }, /must be/],
    ['a PORT with letters', { PORT: '30a' }, /must be a whole number/],
    ['a PROXY_TIMEOUT_MS below a second', { PROXY_TIMEOUT_MS: '999' }, /must be/],
    ['a TRUST_PROXY that covers every address', { TRUST_PROXY: '10.0.0.0/8,0.0.0.0/0' }, /must not cover/],
    ['TRUST_PROXY=true', { TRUST_PROXY: 'true' }, /must be/],
    ['a misspelt NODE_ENV', { NODE_ENV: 'prod' }, /must be one of/],
    ['operator schemas without a store of operators', { OPERATOR_SCHEMA_IDS: 'operator' }, /needs/],
    ['an admin key that no header can contain', { AUTH_IDENTITY_ADMIN_KEY: 'two\nlines' }, /must be printable/],
    ['an unknown source of roles', { OPERATOR_ROLE_FROM: 'metadata_public.role' }, /must be one of/],
    ['a source of roles without a store of operators', { OPERATOR_ROLE_FROM: 'metadata_admin.role' }, /needs/],
    ['an environment label of 25 characters', { ENVIRONMENT_LABEL: 'é'.repeat(25) }, /must have at most 24/],
    ['another word than true or false', { REQUIRE_REASON: 'yes' }, /must be one of true, false/],
    ['a missing AUTH_URL', { AUTH_URL: '' }, /is required/],
    ['a missing OAuth client id', { OAUTH_CLIENT_ID: '' }, /is required/],
  ];
  for (const [title, env, problem] of INVALID)
    it(`rejects ${title}, and names the variable`, () => {
      const problems = problemsOf({ ...VALID, ...env });
      assert.equal(problems.length, 1, problems.join());
      assert.match(problems[0] ?? '', new RegExp(`^${Object.keys(env)} ${problem.source}`));
    });

  const CLAIMS = { OPERATORS_FROM: 'claims', OPERATOR_ROLE_CLAIM: '/groups', OPERATOR_ROLE_VALUES: 'admin=admins' };
  const OPENID = { ...VALID, AUTH_URL: '', AUTH_ISSUER: 'https://id.example/x/', ...CLAIMS };
  const BY_EMAIL = { ...BY_ID, OPERATORS_FROM: 'email', OPERATOR_SCHEMA_IDS: 'operator' };
  const BY_METADATA = { ...BY_ID, OPERATORS_FROM: 'email', OPERATOR_ROLE_FROM: 'metadata_admin.role' };
  const TENANTS = ['/common', 'Organizations/v2.0', 'CONSUMERS', '9188040D-6c67-4c5b-b112-36a304b66dad/v2.0'];
  const MICROSOFT = ['login.microsoftonline.com', 'Login.microsoftonline.us', 'login.windows.net'].flatMap((host) =>
    TENANTS.map((tenant) => `https://${host}/${tenant}`),
  );
  const ISSUERS = ['http://id.example', 'id', 'https://a:b@id.example', 'https://a.example/?a', 'https://a.example/#'];
  const VALUES = [
    '',
    ';',
    'owner=a',
    'support=a',
    'admin=a;admin=b',
    'admin',
    'admin=',
    'admin=a,',
    'admin=a=b',
    'admin=%',
    'admin=%ff',
  ];
  const ASSUMED = 'OPERATOR_EMAIL_VERIFIED=assumed';
  const LIMITED = { ...VALID, EXTRA_ROLES: 'auditor, support' };
  const REFUSED: [base: NodeJS.ProcessEnv, changes: string[], variable?: string][] = [
    [VALID, ['OAUTH_CLIENT_SECRET=x', 'OAUTH_SCOPE=openid', 'OAUTH_SIGN_OUT=local', 'OPERATOR_ROLE_CLAIM=/x', ASSUMED]],
    [VALID, ['OPERATORS_FROM=email', 'OPERATORS_FROM=none']],
    [VALID, ['admin', 'Support', 'support,owner', 'support;auditor'].map((roles) => `EXTRA_ROLES=${roles}`)],
    [LIMITED, ['PROXY_REQUIRE_SESSION=outside', 'PROXY_REQUIRE_SESSION=false']],
    [
      { ...LIMITED, IDENTITY_ADMIN_URL: 'https://a.example/kratos' },
      [
        'IDENTITY_URL=https://a.example/kratos/',
        'IAM_IDENTITY_URL=https://A.example/kratos',
        'OAUTH_URL=https://a.example',
      ],
    ],
    [OPENID, ['AUTH_URL=https://a.example'], 'AUTH_ISSUER'],
    [
      OPENID,
      [...ISSUERS, `https://a.example/${'x'.repeat(240)}`, ...MICROSOFT].map((issuer) => `AUTH_ISSUER=${issuer}`),
    ],
    [OPENID, ['AUTH_INTERNAL_URL=http://a', 'AUTH_ADMIN_URL=http://a', 'AUTH_ADMIN_KEY=x', 'OAUTH_SCOPE=email']],
    [OPENID, ['AUTH_IDENTITY_ADMIN_URL=http://a', 'AUTH_IDENTITY_ADMIN_KEY=x', 'AUTH_IDENTITY_URL=http://a', ASSUMED]],
    [OPENID, ['OPERATOR_SCHEMA_IDS=any', 'OPERATOR_ROLE_FROM=traits.role']],
    [OPENID, ['', 'groups', '/', '/a~2'].map((claim) => `OPERATOR_ROLE_CLAIM=${claim}`)],
    [OPENID, VALUES.map((values) => `OPERATOR_ROLE_VALUES=${values}`)],
    [BY_ID, ['OPERATORS_FROM=', 'OPERATOR_ROLE_CLAIM=/x', 'OPERATOR_ROLE_VALUES=admin=x', ASSUMED]],
    [BY_ID, ['IDENTITY_ADMIN_URL='], 'OPERATORS_FROM'],
    [BY_EMAIL, ['OPERATOR_SCHEMA_IDS=', 'OPERATOR_SCHEMA_IDS=any'], 'OPERATORS_FROM'],
    [BY_METADATA, ['OPERATOR_ROLE_FROM=', 'OPERATOR_ROLE_FROM=traits.role'], 'OPERATORS_FROM'],
    [{ ...BY_EMAIL, AUTH_URL: VALID.AUTH_URL, AUTH_ISSUER: '', OPERATORS_FROM: '' }, ['OPERATORS_FROM=email']],
    [BY_EMAIL, ['OPERATOR_ROLE_CLAIM=/x', 'OPERATOR_ROLE_VALUES=admin=x']],
  ];
  it('rejects what does not belong to where operators sign in, or to where they come from', () => {
    for (const [base, changes, variable] of REFUSED)
      for (const change of ['', ...changes]) {
        const [, name = '', value] = /^(\w*)=?(.*)/.exec(change) ?? [];
        const problems = problemsOf({ ...base, [name]: value }).map((problem) => problem.split(' ')[0] ?? '');
        assert.deepEqual([...new Set(problems)], change === '' ? [] : [variable ?? name], change);
      }
  });

  it('keeps an issuer as written, and decodes the values of roles', () => {
    const authWith = (OPERATOR_ROLE_VALUES: string, env = {}) =>
      parseConfig({ ...OPENID, OPERATOR_ROLE_VALUES, ...env }).auth as { provider: object; operators: object };
    const { provider, operators } = authWith('viewer=a%2Cb, c%3D%3B%25 ; admin=Ä');
    const defaults = { clientSecret: undefined, scope: 'openid profile email', signsOut: false };
    assert.deepEqual(provider, { kind: 'openid', issuer: OPENID.AUTH_ISSUER, ...defaults });
    const rule = { from: 'claims', roleClaim: '/groups', emailVerifiedAssumed: false };
    const roleValues = new Map(Object.entries({ viewer: ['a,b', 'c=;%'], admin: ['Ä'] }));
    assert.deepEqual(operators, { ...rule, roleValues });
    const email = { ...rule, roleClaim: '/email', roleValues: new Map([['admin', ['ada@x.example']]]) };
    assert.deepEqual(authWith('admin=Ada@X.example', { OPERATOR_ROLE_CLAIM: '/email' }).operators, email);
  });

  it('reports all problems together, without any configured value', () => {
    const problems = problemsOf({ PORT: 'secret-port', DATABASE_URL: 'mysql:secret' });
    assert.equal(problems.length, 6);
    assert.doesNotMatch(problems.join(), /secret-port|mysql:secret/);
  });

  it('requires in production a database, an https base URL unless on localhost, and keys of at least eight different bytes', () => {
    const problems = problemsOf({ ...VALID, NODE_ENV: 'production', ENCRYPTION_KEY: 'abcdefg'.repeat(6) });
    assert.deepEqual(
      problems.map((problem) => problem.split(' ')[0]),
      ['BASE_URL', 'ENCRYPTION_KEY', 'DATABASE_URL'],
    );
    assert.deepEqual(problemsOf({ ...PRODUCTION, BASE_URL: 'http://a.test' }), [
      'BASE_URL must be https in production',
    ]);
    assert.deepEqual(problemsOf({ ...PRODUCTION, BASE_URL: 'http://localhost:3000' }), []);
  });

  it('requires a session for the admin APIs by default in production, unless the base URL is on loopback, and with EXTRA_ROLES', () => {
    const production = { ...PRODUCTION, OPERATOR_SCHEMA_IDS: 'any' };
    const local = 'http://workforce.localhost:3000';
    const CASES: [env: NodeJS.ProcessEnv, rule: string, notice?: RegExp][] = [
      [production, 'always', /is not set and defaults to true.* outside .*without one/],
      [{ ...production, PROXY_REQUIRE_SESSION: ' ' }, 'always', /is not set and defaults to true/],
      [{ ...production, BASE_URL: local }, 'outside', /is not set and defaults to outside.* true /],
      [{ ...VALID, BASE_URL: 'https://a.test' }, 'outside', /is not set and defaults to outside/],
      // It could be nothing else.
      [{ ...VALID, EXTRA_ROLES: 'support' }, 'always'],
      [{ ...production, PROXY_REQUIRE_SESSION: 'outside' }, 'outside'],
      [{ ...production, PROXY_REQUIRE_SESSION: 'false' }, 'never'],
      [{ ...production, BASE_URL: local, PROXY_REQUIRE_SESSION: 'true' }, 'always'],
      [
        { ...LIMITED, IDENTITY_URL: 'https://a.test/public', IDENTITY_ADMIN_URL: 'https://a.test/public-admin' },
        'always',
      ],
    ];
    for (const [env, rule, notice] of CASES) {
      const config = parseConfig(env);
      assert.equal(config.proxyRequireSession, rule);
      const { variable, text = '' } = sessionRuleNotice(config) ?? {};
      assert.equal(variable, notice && 'PROXY_REQUIRE_SESSION');
      assert.match(text, notice ?? /^$/);
    }
  });

  const WORKFORCE = { ...PRODUCTION, DEPLOYMENT: 'workforce' };
  const EVERYTHING = ['0.0.0.0/0', '0.0.0.0/1,128.0.0.0/1', '::/1,8000::/1', '::ffff:0:0/96'];
  for (const [variable, env, values] of [
    ['ALLOWED_NETWORKS', WORKFORCE, [...EVERYTHING, '::/1']],
    ['TRUST_PROXY', PRODUCTION, EVERYTHING],
  ] as const)
    it(`rejects ${variable} in production if it covers every address, even with several ranges`, () => {
      for (const value of values)
        assert.match(problemsOf({ ...env, [variable]: value }).join(), new RegExp(variable), value);
      assert.deepEqual(problemsOf({ ...env, [variable]: '10.0.0.0/8,fc00::/7' }), []);
    });

  it('assigns the stored key of an upstream to an operators’ service only if both have the same origin', () => {
    const STORES = { IDENTITY_ADMIN_URL: 'http://kratos:4434', IAM_IDENTITY_ADMIN_URL: 'http://iam:4434' };
    const HYDRA = { OAUTH_URL: 'https://login.example', OAUTH_ADMIN_URL: 'http://hydra:4445' };
    const STORE_OF_IAM = { ...STORES, AUTH_IDENTITY_ADMIN_URL: 'http://iam:4434/x' };
    const OTHER_PORT = { ...STORES, AUTH_IDENTITY_ADMIN_URL: 'http://kratos:5434' };
    const OTHER_SCHEME = { AUTH_IDENTITY_ADMIN_URL: 'https://kratos:4434', AUTH_ADMIN_URL: 'http://hydra.other:4445' };
    const SAME_HYDRA = { ...HYDRA, OAUTH_URL: 'http://hydra:4444', AUTH_INTERNAL_URL: 'http://hydra:4444' };
    // The addresses of the operators' store and of Hydra, each with the upstream whose key it gets.
    for (const [env, store, hydra] of [
      [STORES, 'http://kratos:4434 identity-admin', ''],
      [{ ...STORES, DEPLOYMENT: 'workforce' }, 'http://iam:4434 iam-identity-admin', ''],
      [{ ...STORE_OF_IAM, ...HYDRA }, 'http://iam:4434/x iam-identity-admin', 'http://hydra:4445 oauth-admin'],
      [{ ...OTHER_PORT, ...HYDRA, OAUTH_URL: 'https://customers.example' }, 'http://kratos:5434', ''],
      [{ ...HYDRA, ...OTHER_SCHEME }, 'https://kratos:4434', 'http://hydra.other:4445'],
      [SAME_HYDRA, '', 'http://hydra:4445 oauth-admin'],
    ] as const) {
      const { auth } = parseConfig({ ...VALID, ...env });
      const services = [auth.store, auth.oauthAdmin].map(({ url, upstream }) =>
        [url, upstream].filter(Boolean).join(' '),
      );
      assert.deepEqual(services, [store, hydra], JSON.stringify(env));
    }
  });

  it('ignores a variable that Kubernetes sets for a Service with a colliding name', () => {
    assert.equal(parseConfig({ ...VALID, METRICS_PORT: 'tcp://10.0.0.1:80' }).metrics, undefined);
    assert.match(problemsOf({ ...VALID, METRICS_PORT: 'http://10.0.0.1:80' }).join(), /METRICS_PORT must be/);
  });
});

describe('the notices about an exposed configuration', () => {
  const variablesIn = (env: NodeJS.ProcessEnv): string[] =>
    exposures(parseConfig({ ...VALID, OPERATOR_SCHEMA_IDS: 'any', ...env })).map(({ variable }) => variable);
  const NETWORKS = { ALLOWED_NETWORKS: '10.0.0.0/8' };
  const CASES: [title: string, env: NodeJS.ProcessEnv, variable?: string][] = [
    ['a configuration without exposure', {}],
    ['operators of any schema, for lack of a setting', { OPERATOR_SCHEMA_IDS: '' }, 'OPERATOR_SCHEMA_IDS'],
    ['an OAuth server over plain http', { AUTH_URL: 'http://login.test' }, 'AUTH_URL'],
    ['an OAuth server over plain http on loopback', { AUTH_URL: 'http://127.0.0.1:4444' }],
    ['admin APIs on the network', { HOST: '0.0.0.0' }, 'PROXY_REQUIRE_SESSION'],
    [
      'admin APIs on the network that never require a session',
      { HOST: '::', PROXY_REQUIRE_SESSION: 'false' },
      'PROXY_REQUIRE_SESSION',
    ],
    ['admin APIs behind a reverse proxy', { BASE_URL: 'https://dashboard.example' }, 'PROXY_REQUIRE_SESSION'],
    ['admin APIs behind a trusted reverse proxy', { TRUST_PROXY: '1' }, 'PROXY_REQUIRE_SESSION'],
    [
      'admin APIs on loopback that never require a session in production',
      { ...PRODUCTION, BASE_URL: 'http://localhost:3000', PROXY_REQUIRE_SESSION: 'false' },
      'PROXY_REQUIRE_SESSION',
    ],
    ['admin APIs on the network that always require a session', { HOST: '0.0.0.0', PROXY_REQUIRE_SESSION: 'true' }],
    ['events on the network', { ...EVENTS, EVENTS_HOST: '0.0.0.0' }, 'EVENTS_HOST'],
    ['events on loopback with a guessable key', { ...EVENTS, EVENTS_KEY: `secret-${SIGNING_KEY}` }, 'EVENTS_KEY'],
    ['a store of operators without a key', { AUTH_IDENTITY_ADMIN_URL: 'http://iam:4434' }, 'AUTH_IDENTITY_ADMIN_KEY'],
    ['allowed networks that exclude the local health check', NETWORKS, 'ALLOWED_NETWORKS'],
    ['allowed networks with a health check at the metrics port', { ...NETWORKS, METRICS_PORT: '9464' }],
    ['an identity service without its admin API', { IDENTITY_URL: 'http://kratos:4433' }, 'IDENTITY_ADMIN_URL'],
    ['an OAuth server without its public API', { OAUTH_ADMIN_URL: 'http://hydra:4445' }, 'OAUTH_URL'],
    ['allowed networks that include loopback', { ALLOWED_NETWORKS: '10.0.0.0/8,127.0.0.1' }],
  ];
  for (const [title, env, variable] of CASES)
    it(`${variable === undefined ? 'are absent' : `name ${variable}`} for ${title}`, () => {
      assert.deepEqual(variablesIn(env), variable === undefined ? [] : [variable]);
    });

  it('name ENCRYPTION_KEY for a guessable key', () => {
    for (const ENCRYPTION_KEY of [
      'change-me-0123456789-abcdefghijklmnop',
      'your-signing-key-0123456789-abcdefgh',
      'abcdabcdabcdabcdabcdabcdabcdabcdabcd',
      'my SECRET 0123456789 abcdefghijklmnop',
    ])
      assert.deepEqual(variablesIn({ ENCRYPTION_KEY }), ['ENCRYPTION_KEY'], ENCRYPTION_KEY);
  });

  it('contain no configured value', () => {
    const env = { ENCRYPTION_KEY: 'change-me-0123456789-abcdefghijklmnop', AUTH_URL: 'http://login.test' };
    assert.doesNotMatch(JSON.stringify(exposures(parseConfig({ ...VALID, ...env }))), /0123|login/);
  });
});

describe('a secret file', () => {
  const inFolder = folderOfSuite();

  let files = 0;
  function file(content: string | Buffer): string {
    files += 1;
    const path = inFolder(`secret-${files}`);
    writeFileSync(path, content);
    return path;
  }

  it('can contain any of the five keys, the database URL, the client’s secret and the keys of the operators’ services', () => {
    const config = parseConfig({
      AUTH_URL: 'https://login.example/',
      OAUTH_CLIENT_ID: 'dashboard',
      SESSION_SIGNING_KEY_FILE: file(SIGNING_KEY),
      SESSION_SIGNING_KEY_PREVIOUS_FILE: file(`${SIGNING_KEY}-previous`),
      ENCRYPTION_KEY_FILE: file(ENCRYPTION_KEY),
      ENCRYPTION_KEY_PREVIOUS_FILE: file(`${ENCRYPTION_KEY}-previous`),
      DATABASE_URL_FILE: file('sqlite:/somewhere.sqlite\n'),
      AUTH_IDENTITY_ADMIN_KEY_FILE: file('store-key\r\n'),
      AUTH_ADMIN_KEY_FILE: file('oauth-key'),
      EVENTS_PORT: '4318',
      EVENTS_KEY_FILE: file(`${EVENTS.EVENTS_KEY}\n`),
    });
    assert.equal(config.events?.key, EVENTS.EVENTS_KEY);
    assert.deepEqual(config.sessionKeys, { current: SIGNING_KEY, previous: `${SIGNING_KEY}-previous` });
    assert.deepEqual(config.encryptionKeys, { current: ENCRYPTION_KEY, previous: `${ENCRYPTION_KEY}-previous` });
    assert.deepEqual(config.database, { client: 'sqlite', path: '/somewhere.sqlite' });
    assert.deepEqual([config.auth.store.key, config.auth.oauthAdmin.key], ['store-key', 'oauth-key']);
    const { auth } = parseConfig({ ...BY_ID, OAUTH_CLIENT_SECRET_FILE: file('client-secret') });
    assert.equal(auth.provider.kind === 'openid' && auth.provider.clientSecret, 'client-secret');
    assert.equal(FILE_VARIABLES.length, 9);
  });

  it('is read byte for byte, except for one line break at its end', () => {
    for (const [content, key] of [
      [`${ENCRYPTION_KEY}\n`, ENCRYPTION_KEY],
      [`${ENCRYPTION_KEY}\r\n`, ENCRYPTION_KEY],
      [`${ENCRYPTION_KEY}\n\n`, `${ENCRYPTION_KEY}\n`],
      [` ${ENCRYPTION_KEY} `, ` ${ENCRYPTION_KEY} `],
      [`\uFEFF${ENCRYPTION_KEY}`, `\uFEFF${ENCRYPTION_KEY}`],
    ] as const) {
      const config = parseConfig({ ...VALID, ENCRYPTION_KEY: '', ENCRYPTION_KEY_FILE: file(content) });
      assert.equal(config.encryptionKeys.current, key);
    }
  });

  it('is reported by the name of its variable if it cannot be used, together with all other problems', () => {
    const fifo = inFolder('fifo');
    execFileSync('mkfifo', [fifo]);
    const problemsWith = (path: string) =>
      problemsOf({ ...VALID, ENCRYPTION_KEY: '', ENCRYPTION_KEY_FILE: path, PORT: 'x' });
    const portProblem = 'PORT must be a whole number from 0 to 65535';
    for (const [path, problem] of [
      [inFolder('absent'), 'names a file that cannot be read: ENOENT'],
      [`${file('')}/below`, 'names a file that cannot be read: ENOTDIR'],
      [inFolder(), 'must name a file'],
      [fifo, 'must name a file'],
      ['/dev/zero', 'must name a file'],
      [file(''), 'names an empty file'],
      [file('\n'), 'names an empty file'],
      [file(Buffer.from([0x61, 0xff, 0x62])), 'names a file that is not UTF-8 text'],
      [file('x'.repeat(64 * 1024 + 1)), 'names a file of more than 64 KiB'],
    ] as const)
      assert.deepEqual(problemsWith(path), [`ENCRYPTION_KEY_FILE ${problem}`, portProblem]);
    assert.deepEqual(problemsWith(file('x'.repeat(64 * 1024))), [portProblem]);
  });

  it('is rejected if the variable that it replaces is set as well', () => {
    for (const { variable, file: name } of FILE_VARIABLES) {
      const problems = problemsOf({ ...VALID, [variable]: ENCRYPTION_KEY, [name]: file(ENCRYPTION_KEY) });
      assert.deepEqual(
        problems.filter((problem) => problem.includes('_FILE')),
        [`${name} must not be set as well as ${variable}`],
      );
    }
  });
});
