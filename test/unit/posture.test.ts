import assert from 'node:assert/strict';
import { chmod, chown, writeFile } from 'node:fs/promises';
import { type Check, type CheckSources, type Checks, pass, worst } from '../../server/checks/check.ts';
import { networkChecks } from '../../server/checks/network.ts';
import { openidProvider, providerOperatorChecks } from '../../server/checks/openid-provider.ts';
import { anyAdministrator, operatorChecks } from '../../server/checks/operators.ts';
import { postureReport } from '../../server/checks/posture.ts';
import { clientDeviations } from '../../server/checks/sign-in.ts';
import { softwareChecks, storageChecks } from '../../server/checks/storage.ts';
import type { Config, OpenidProvider } from '../../server/config/config.ts';
import { parseConfig } from '../../server/config/parse-config.ts';
import { SYSTEM_CLOCK } from '../../server/context.ts';
import { parseDatabaseUrl } from '../../server/db/database-address.ts';
import { dashboardClient } from '../../server/registration.ts';
import type { AdminClient } from '../../server/upstream/admin-client.ts';
import type { PostureId, PostureStatus } from '../../shared/security.ts';
import { certificateAuthority } from '../support/certificate.ts';
import { TEST_KEYS } from '../support/context.ts';
import { folderOfTest, ofSuite } from '../support/of-suite.ts';
import { startOpenidDouble } from '../support/openid-double.ts';

const DAY = 86_400_000;

/** The status of a check. Its texts must be complete sentences. */
async function statusOf(checks: Checks, id: PostureId): Promise<PostureStatus> {
  const check = checks[id] ?? assert.fail(`no check named ${id}`);
  const { status, detail, action } = await check.look();
  for (const text of [check.title, detail, check.why, action]) assert.match(text, /^[A-Z/].*[.a-z]$/s);
  return status;
}

describe('the posture report', () => {
  const check = (look: Check['look']): Check => ({ title: 'Title', why: 'Why.', look });

  it('contains the status "unknown" for a check that throws or does not return in time', async () => {
    const logged: object[] = [];
    const log = { warn: (fields: object) => void logged.push(fields) };
    const checks = {
      geo_data: check(() => Promise.reject(new Error('no'))),
      clock: check(() => new Promise(() => {})),
      base_url: check(() => pass('Good.')),
    };
    const report = await postureReport(checks, { log, clock: { ...SYSTEM_CLOCK, monotonic: () => 0 } }, 20).read();
    const statuses = Object.fromEntries(report.checks.map(({ id, status }) => [id, status]));
    assert.deepEqual(statuses, { base_url: 'pass', clock: 'unknown', geo_data: 'unknown' });
    assert.equal(logged.length, 1);
  });
});

describe('the search for an administrator', () => {
  for (const [what, rows, next, expected] of [
    ['fails in a list that goes on with empty pages', [2], (token = '') => `${token}a`, /^fail/],
    ['is inconclusive in a list that names a page as its own next', [2, 2], () => 'a', /^unknown.* first 4 .* twice\./],
    ['is inconclusive in a longer list', [2, 2, 2, 2], (token = '') => `${token}a`, /^unknown.* first 8 .* more/],
  ] as [what: string, rows: number[], next: (token?: string) => string, expected: RegExp][])
    it(what, async () => {
      const page = (token?: string) => ({ items: Array(rows.shift() ?? 0).fill({}), nextPageToken: next(token) });
      const list = async (_path: string, query: { page_token?: string }) => page(query.page_token);
      const auth = { roleFrom: 'traits.role' } as Config['auth'];
      const { status, detail } = await anyAdministrator({ list } as unknown as AdminClient, auth);
      assert.match(`${status}: ${detail}`, expected);
    });
});

describe('the posture of the configuration', () => {
  const ENV = {
    ...TEST_KEYS,
    BASE_URL: 'http://localhost:3000',
    AUTH_URL: 'http://127.0.0.1:4444',
    OAUTH_CLIENT_ID: 'dashboard',
    OAUTH_ADMIN_URL: 'http://127.0.0.1:4445',
    DATABASE_URL: 'sqlite:unused',
    OPERATOR_SCHEMA_IDS: '',
  };
  const OUTSIDE = { PROXY_REQUIRE_SESSION: 'outside' };
  const PUBLIC = { BASE_URL: 'https://dashboard.example' };
  const CASES: [id: PostureId, env: NodeJS.ProcessEnv, status: PostureStatus][] = [
    ['cookie_secure', PUBLIC, 'pass'],
    ['cookie_secure', { BASE_URL: 'http://localhost:3000' }, 'warn'],
    ['cookie_secure', { BASE_URL: 'http://dashboard.example' }, 'fail'],
    ['base_url', PUBLIC, 'pass'],
    ['base_url', { BASE_URL: 'http://workforce.localhost:4000' }, 'warn'],
    ['base_url', { BASE_URL: 'http://10.0.0.1' }, 'fail'],
    ['auth_url', { AUTH_URL: 'https://login.example', AUTH_INTERNAL_URL: 'http://10.1.2.3:4444' }, 'pass'],
    ['auth_url', { AUTH_URL: 'http://127.0.0.1:4444' }, 'warn'],
    ['auth_url', { AUTH_URL: 'http://login.example' }, 'fail'],
    ['admin_proxies', { PROXY_REQUIRE_SESSION: 'true', HOST: '0.0.0.0' }, 'pass'],
    ['admin_proxies', OUTSIDE, 'pass'],
    ['admin_proxies', { ...OUTSIDE, HOST: '::' }, 'warn'],
    ['admin_proxies', { PROXY_REQUIRE_SESSION: 'false', HOST: '0.0.0.0' }, 'fail'],
    ['admin_proxies', { ...OUTSIDE, ...PUBLIC, NODE_ENV: 'production' }, 'fail'],
    ['admin_proxies', { PROXY_REQUIRE_SESSION: 'false' }, 'warn'],
    ['admin_proxies', { PROXY_REQUIRE_SESSION: 'false', NODE_ENV: 'production' }, 'fail'],
    ['admin_proxies', { TRUST_PROXY: '1', PROXY_REQUIRE_SESSION: 'false' }, 'fail'],
    ['admin_proxies', { ...OUTSIDE, ...PUBLIC, TRUST_PROXY: '198.51.100.0/24', HOST: '0.0.0.0' }, 'pass'],
    ['allowed_networks', { HOST: '127.0.0.1' }, 'pass'],
    ['allowed_networks', { HOST: '0.0.0.0', ALLOWED_NETWORKS: '10.0.0.0/8' }, 'pass'],
    ['allowed_networks', { HOST: '0.0.0.0' }, 'warn'],
    [
      'allowed_networks',
      { HOST: '0.0.0.0', DEPLOYMENT: 'workforce', ALLOWED_NETWORKS: '0.0.0.0/1,128.0.0.0/1', OPERATOR_SCHEMA_IDS: '' },
      'fail',
    ],
    ['trusted_proxies', PUBLIC, 'warn'],
    ['trusted_proxies', { ...PUBLIC, TRUST_PROXY: '127.0.0.1' }, 'pass'],
    ['trusted_proxies', { TRUST_PROXY: '1' }, 'warn'],
  ];
  for (const [id, env, status] of CASES) {
    const settings = Object.entries(env).map(([name, value]) => `${name}=${value}`);
    it(`has the status "${status}" for the check ${id} with ${settings.join(' ')}`, async () => {
      const config = parseConfig({ ...ENV, ...env });
      assert.equal(await statusOf(networkChecks({ config }), id), status);
    });
  }
});

describe('the check of the OAuth client', () => {
  const wanted = dashboardClient('dashboard', 'https://dashboard.example');
  const [callback] = wanted.redirect_uris;
  const CASES: [change: object, status: PostureStatus][] = [
    [{}, 'pass'],
    [{ redirect_uris: [callback, 'https://evil.example/cb'] }, 'warn'],
    [{ redirect_uris: ['https://evil.example/cb'], post_logout_redirect_uris: [] }, 'fail'],
    [{ grant_types: ['authorization_code', 'client_credentials'] }, 'warn'],
    [{ grant_types: ['refresh_token'] }, 'fail'],
    [{ token_endpoint_auth_method: 'client_secret_basic' }, 'fail'],
  ];
  for (const [change, status] of CASES)
    it(`has the status "${status}" for a client with ${JSON.stringify(change)}`, () => {
      const findings = clientDeviations({ ...wanted, ...change }, wanted).map(({ finding }) => finding ?? false);
      assert.equal(worst(findings).status, status);
    });
});

describe('the check of an OpenID provider', () => {
  const double = ofSuite(startOpenidDouble);
  const CASES: [change: object, expected: RegExp][] = [
    [{}, /^pass/],
    [{ issuer: 'http://other.example/' }, /^fail.*issuer.* AUTH_ISSUER=http:\/\/other\.example\/$/],
    [{ issuer: 'a\u001b[31m' }, /^fail.*issuer.* undefined$/],
    [{ issuer: null }, /^fail.*not the address of an OpenID provider/],
    [{ userinfo_endpoint: 'http://provider.example/userinfo' }, /^fail.*userinfo_endpoint/],
    [{ code_challenge_methods_supported: ['plain'] }, /^fail.*S256/],
    [{ code_challenge_methods_supported: undefined }, /^unknown.*S256/],
    [{ response_types_supported: ['id_token'] }, /^fail.*code/],
    [{ end_session_endpoint: undefined }, /^warn.*signing out/],
  ];
  for (const [change, expected] of CASES)
    it(`says ${expected} for one with ${JSON.stringify(Object.entries(change))}`, async () => {
      double.reset();
      Object.assign(double.discovery, { code_challenge_methods_supported: ['S256'], ...change });
      const found = await openidProvider({ issuer: double.url, signsOut: true } as OpenidProvider);
      assert.match(`${found.status}: ${found.detail} ${found.commands?.[0]}`, expected);
      assert.equal(found.critical ?? false, found.status === 'fail');
    });
});

describe('the checks of operators from an OpenID provider', () => {
  const issuer = 'https://login.example/';
  const [EMAIL, ASSUMED] = [{ from: 'email' }, { from: 'email', emailVerifiedAssumed: true }];
  const CLAIMS = { from: 'claims', roleValues: new Map(Object.entries({ admin: [], viewer: [] })) };
  const timestamp = '2026-01-02T03:04:05.000Z';
  const login = (actor: string, role: string, minutes?: number) => ({ actor, timestamp, details: { role, minutes } });
  const [admin, viewer, elsewhere] = [login('a', 'admin'), login('b', 'viewer', 5), login('c', 'admin', 5)];
  const CASES: [id: PostureId, operators: object, logins: object[], expected: RegExp][] = [
    ['operators_from', EMAIL, [], /^pass: By verified e-mail address/],
    ['operators_from', ASSUMED, [], /^warn: By verified e-mail address/],
    ['operators_from', CLAIMS, [], /^pass: By the provider’s claims/],
    ['operator_roles', CLAIMS, [admin, viewer], /^pass: .*admin 2026-01-02, viewer 2026-01-02\./],
    ['operator_roles', CLAIMS, [elsewhere, viewer], /^unknown: .*admin none, viewer 2026-01-02\./],
    ['operator_roles', EMAIL, [elsewhere], /^unknown: .*admin 2026-01-02, viewer none\./],
    ['session_length', CLAIMS, [elsewhere, admin, viewer], /^pass/],
    ['session_length', CLAIMS, [viewer, admin], /^warn: .* 5 minutes/],
    ['session_length', CLAIMS, [elsewhere], /^unknown/],
  ];
  for (const [id, operators, logins, expected] of CASES)
    it(`say ${expected} for ${id} after ${logins.length} sign-ins`, async () => {
      const rows = ['a', 'b'].map((one) => ({ id: one, issuer }));
      const checks = providerOperatorChecks({
        config: { auth: { provider: { kind: 'openid', issuer }, operators, roles: ['admin', 'viewer'] } },
        clock: SYSTEM_CLOCK,
        auditSearch: { lastLogins: async () => logins },
        claimsOperators: { latest: async () => [...rows, { id: 'c', issuer: 'https://login.example' }] },
      } as unknown as CheckSources) as Checks;
      const { status, detail } = (await checks[id]?.look()) ?? assert.fail();
      assert.match(`${status}: ${detail}`, expected);
      await statusOf(checks, id);
    });
});

describe('the check of second factors', () => {
  for (const [roles, expected] of [
    [['admin', 'viewer'], /^fail: Administrators without a second factor: 1\.$/],
    [['viewer', 'support', 'admin'], /^fail: Administrators and support engineers without a second factor: 2\.$/],
    [['auditor', 'viewer', null], /^warn: Auditors and viewers without a second factor: 3\.$/],
  ] as const)
    it(`says ${expected} of ${roles.join(', ')} who have none`, async () => {
      const operators = roles.map((role) => ({ role, second_factor: false }));
      const checks = operatorChecks({
        config: { auth: { operators: { from: 'identity' } } },
        listOperators: async () => ({ operators }),
      } as unknown as CheckSources);
      const { status, detail } = await checks.second_factor.look();
      assert.match(`${status}: ${detail}`, expected);
    });
});

describe('the posture of storage and software', () => {
  const inFolder = folderOfTest();
  it('has the status "fail" for a broken audit trail or a dropped record, and "warn" for a failing queue', async () => {
    const chain = { verified_to: 3, head: 7, broken_at: null, as_of: '2026-01-01T00:00:00.000Z' };
    const queue = { taken: 0, waiting: 0, dropped: 0, failing: false };
    const statuses = async (state: object, records: object): Promise<PostureStatus[]> => {
      const checks = storageChecks({
        chainState: async () => ({ ...chain, ...state }),
        audit: { queueState: () => ({ ...queue, ...records }) },
      } as never);
      return [await statusOf(checks, 'audit_chain'), await statusOf(checks, 'audit_queue')];
    };
    assert.deepEqual(await statuses({ status: 'whole' }, { taken: 5 }), ['pass', 'pass']);
    assert.deepEqual(await statuses({ status: 'checking' }, {}), ['unknown', 'unknown']);
    assert.deepEqual(await statuses({ status: 'broken', broken_at: 4 }, { taken: 5, failing: true }), ['fail', 'warn']);
    assert.deepEqual(await statuses({ status: 'whole' }, { taken: 5, dropped: 1 }), ['pass', 'fail']);
  });

  it('depends on the end of life of Node.js and on the age of the geolocation data', async () => {
    const builtAt = new Date(Date.UTC(2026, 0, 1));
    const endOfLife = Date.parse('2028-04-30');
    const statusAt = (id: PostureId, now: number, files: object[] = [{ problem: null, builtAt }]) =>
      statusOf(
        softwareChecks({ geo: { states: async () => files }, clock: { now: () => now } } as never, 'v24.1.0'),
        id,
      );
    for (const [days, status] of [
      [-91, 'pass'],
      [-30, 'warn'],
      [1, 'fail'],
    ] as const)
      assert.equal(await statusAt('node_release', endOfLife + days * DAY), status);
    for (const [days, status] of [
      [30, 'pass'],
      [181, 'warn'],
      [731, 'fail'],
    ] as const)
      assert.equal(await statusAt('geo_data', builtAt.getTime() + days * DAY), status);
    assert.equal(await statusAt('geo_data', Date.now(), [{ problem: 'unreachable', builtAt: null }]), 'fail');
    assert.equal(await statusAt('geo_data', Date.now(), []), 'unknown');
  });

  it('has the status "pass" for database_tls only on this machine or with a verified certificate', async () => {
    const remote = 'mysql://db.example/dashboard';
    const certificate = inFolder('ca.pem');
    await writeFile(certificate, certificateAuthority().cert);
    for (const [status, urls] of Object.entries({
      pass: [
        'sqlite:dashboard.sqlite',
        `${remote}?socketPath=/run/mysqld/mysqld.sock`,
        ...['localhost', '127.0.0.1', '[::1]'].map((host) => `mysql://${host}/dashboard`),
        `${remote}?ssl-mode=VERIFY_CA&ssl-ca=${certificate}`,
        `${remote}?ssl-mode=VERIFY_IDENTITY`,
      ],
      warn: [
        ...['db.example', 'database', '10.0.0.5'].map((host) => `mysql://${host}/dashboard`),
        ...['DISABLED', 'REQUIRED', 'VERIFY_CA'].map((mode) => `${remote}?ssl-mode=${mode}`),
      ],
    }))
      for (const url of urls) {
        const config = { database: parseDatabaseUrl(url) };
        assert.equal(await statusOf(storageChecks({ config } as CheckSources), 'database_tls'), status, url);
      }
  });

  it('has the status "fail" for identity_index if others can read its file, and "warn" if its folder is open', async () => {
    const file = inFolder('people.index');
    const status = (identityIndex: Config['identityIndex'] = { file }): Promise<PostureStatus> =>
      statusOf(storageChecks({ config: { identityIndex } } as CheckSources), 'identity_index');
    assert.deepEqual([await status('memory'), await status('off'), await status()], ['pass', 'pass', 'unknown']);
    await writeFile(file, '');
    for (const [mode, folder, expected] of [
      [0o600, 0o700, 'pass'],
      [0o640, 0o700, 'fail'],
      [0o604, 0o700, 'fail'],
      [0o600, 0o755, 'warn'],
      [0o600, 0o770, 'warn'],
      [0o600, 0o1777, 'pass'],
      [0o644, 0o755, 'fail'],
    ] as const) {
      await chmod(file, mode);
      await chmod(inFolder(), folder);
      assert.equal(await status(), expected, `${mode.toString(8)} in ${folder.toString(8)}`);
    }
    // Only root can change the owner of a file.
    if (process.geteuid?.() === 0) {
      await chmod(file, 0o600);
      await chown(file, 12_345, 12_345);
      assert.equal(await status(), 'fail');
    }
  });
});
