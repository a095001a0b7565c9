import assert from 'node:assert/strict';
import createKnex from 'knex';
import { proxyErrors } from '../../docs/openapi/openapi.ts';
import { ROUTES } from '../../docs/openapi/routes.ts';
import { SCHEMAS } from '../../docs/openapi/schemas.ts';
import type { AuditTrail } from '../../server/audit/trail.ts';
import { parseDatabaseUrl } from '../../server/db/database-address.ts';
import { knexOptions } from '../../server/db/knex.ts';
import { healthHandler } from '../../server/features/health.ts';
import { identitiesRouter } from '../../server/features/identities/identities-router.ts';
import type { IdentityDirectory } from '../../server/features/identities/identity-directory.ts';
import { identitySearch } from '../../server/features/identities/identity-search.ts';
import { SearchTooLong } from '../../server/search-index/database.ts';
import type { IdentityIndex } from '../../server/search-index/index.ts';
import type { IdentityStore } from '../../server/upstream/identity-store.ts';
import type { ErrorCode } from '../../shared/errors.ts';
import type { SettingHistory, SettingInput } from '../../shared/settings.ts';
import { UPSTREAMS } from '../../shared/upstreams.ts';
import type { CallOptions } from '../support/dashboard.ts';
import { documentedResponses, misfit } from '../support/documented-responses.ts';
import { gateDeps, startGateApp } from '../support/gate-app.ts';
import { CookieJar, visit } from '../support/http-sign-in.ts';
import { indexReady } from '../support/index-ready.ts';
import { listedSession } from '../support/listed-pages.ts';
import { type MappedDashboard, startMappedDashboard } from '../support/mapped-dashboard.ts';

const NOBODY = '10000000-0000-4000-8000-000000000000';
const CLOSED = 'http://127.0.0.1:1';
/** Where an upstream is silent. */
const IMPATIENT = { PROXY_TIMEOUT_MS: '1000' };
/** Requests that reach the identity service or the OAuth server. */
const BEHIND_UPSTREAMS = [
  '/api/identities',
  '/api/identities/total',
  `/api/identities/${NOBODY}/credentials`,
  '/api/session-locations',
  '/api/security/sessions?unknown=true',
  '/api/security/sessions/ids?unknown=true',
];

describe('the table of routes, of every answer', () => {
  const responses = documentedResponses();
  let mapped: MappedDashboard;
  before(async () => {
    mapped = await startMappedDashboard();
    await indexReady(mapped.dashboard, mapped.sessions.admin);
  });
  after(() => mapped.close());

  /** Sends a request, by default as an administrator, and checks the answer against the table. */
  async function ask(method: string, target: string, options: CallOptions = {}): Promise<void> {
    const { admin } = mapped.sessions;
    const response = await mapped.dashboard.call(target, { method, session: admin, ...options });
    await responses.check(method, target, response);
  }
  const put = (json: SettingInput) => ask('POST', '/api/settings', { json });
  async function lastVersion(history: string): Promise<number> {
    const response = await mapped.dashboard.call(history, { session: mapped.sessions.admin });
    const { versions } = (await response.json()) as SettingHistory;
    return versions[0]?.version ?? assert.fail('no version');
  }

  for (const { method, path, examples = [] } of ROUTES)
    it(`says what ${method.toUpperCase()} ${path} answers to nobody, a viewer and an administrator`, async () => {
      for (const [target] of examples)
        for (const session of [undefined, mapped.sessions.viewer, mapped.sessions.admin])
          await ask(method, target, { session });
    });

  it('says what is answered to changes, found or not', async () => {
    await put({ key: 'mail.password', value: 'a', encrypted: true, category: 'mail' });
    await put({ key: 'mail.password', value: 'b' });
    const again = { json: { key: 'mail.password', value: 'c' }, headers: { 'if-none-match': '*' } };
    await ask('POST', '/api/settings', again);
    await put({ key: 'mail.host', value: 'c' });
    await ask('GET', '/api/settings');
    await ask('GET', '/api/settings/mail.host');
    await ask('DELETE', '/api/settings/mail.host');
    await ask('POST', '/api/settings', { body: 'x'.repeat(600_000), headers: { 'content-type': 'application/json' } });
    await ask('POST', '/api/settings', { body: '{}', headers: { 'content-type': 'text/plain' } });
    await ask('POST', '/api/encrypt', { json: { value: 'x' } });
    const outdated = { headers: { 'if-match': '"another"' } };
    await ask('DELETE', '/api/settings/mail.password', outdated);
    await ask('DELETE', '/api/settings/mail.password', { headers: { 'if-match': '' } });
    const history = '/api/setting-history?key=mail.password';
    await ask('GET', history);
    const version = await lastVersion(history);
    await ask('GET', `${history}&decrypt=true&version=${version}`);
    const restore = (options: CallOptions) =>
      ask('POST', '/api/setting-history/restore', { json: { key: 'mail.password', version }, ...options });
    await restore({});
    await restore(outdated);
    await restore({ json: { key: 'mail.password', version: 999_999 } });
    await ask('DELETE', '/api/settings/mail.password');
    await restore({});
    await put({ key: 'social.github.client_id', value: 'x' });
    await put({ key: 'social.github.enabled', value: 'true' });
    await ask('GET', '/api/connections/social', { session: undefined });
    await ask('POST', '/api/security/revocations', { json: { identity_id: NOBODY } });
    await ask('GET', '/api/security/audit?page_size=2');
    const layout = { widgets: [{ id: 'clock', x: 0, y: 0, w: 3, h: 2 }], hidden: ['map'] };
    await ask('PUT', '/api/dashboard/layout', { json: { layout } });
    await ask('PUT', '/api/dashboard/layout', { json: { layout }, headers: { 'if-match': '"another"' } });
    await ask('GET', '/api/dashboard/layout');
    const views = [{ id: 'mine', resource: 'identities', name: 'Mine', search: 'q=ada' }];
    await ask('PUT', '/api/dashboard/views', { json: { views } });
    await ask('PUT', '/api/dashboard/views', { json: { views }, headers: { 'if-match': '"another"' } });
    await ask('GET', '/api/dashboard/views');
  });

  it('says what is answered where identities and sessions are found', async () => {
    const list = (items: unknown[]) => ({ status: 200, body: JSON.stringify(items) });
    mapped.identityAdmin.before = ({ path }) =>
      path.startsWith('/admin/sessions') ? list([listedSession(1)]) : undefined;
    await ask('GET', '/api/session-locations');
    await ask('GET', '/api/security/sessions?lat=60&lng=11');
    await ask('GET', '/api/geo?ip=203.0.113.9&ip=192.0.2.1');
    for (const zone of Intl.supportedValuesOf('timeZone').slice(0, 31))
      await ask('GET', `/api/dashboard/statistics?time_zone=${zone}`);
    const session = await mapped.dashboard.call('/api/auth/session', { session: mapped.sessions.admin });
    const { user } = (await session.json()) as { user: { identityId: string } };
    await ask('GET', `/api/identities/${user.identityId}/credentials`);
    // A service without the search returns everybody.
    mapped.identityAdmin.before = () => list([{ id: NOBODY }]);
    await ask('GET', '/api/identities?credentials_identifier_prefix=ada');
  });

  it('says what is answered about locked accounts', async () => {
    const knex = createKnex(knexOptions(parseDatabaseUrl(mapped.dashboard.env.DATABASE_URL ?? ''), { warn: () => {} }));
    const row = { reason: 'wrong_password', attempts: 5, trigger_ip: null, locked_at: new Date().toISOString() };
    await knex('locked_accounts').insert({ identifier: 'ada@example.com', ...row });
    await knex.destroy();
    await ask('GET', '/api/security/locked-accounts');
    for (let count = 0; count <= 60; count += 1)
      await ask('POST', '/api/security/locked-accounts/unlock', { json: { identifier: 'ada@example.com' } });
  });

  it('documents the answers to more than sixty decryptions, and to one that no key decrypts', async () => {
    const history = '/api/setting-history?key=mail.password';
    const version = await lastVersion(history);
    for (let count = 0; count <= 60; count += 1) await ask('GET', '/api/settings/mail.password?decrypt=true');
    await ask('GET', `${history}&decrypt=true&version=${version}`);
    await mapped.restart({ ENCRYPTION_KEY: 'another-key-of-the-tests-0123456789-abcdefgh' });
    await ask('GET', '/api/settings/mail.password?decrypt=true');
    await ask('GET', `${history}&decrypt=true&version=${version}`);
    await ask('POST', '/api/setting-history/restore', { json: { key: 'mail.password', version } });
    await ask('DELETE', history);
  });

  it('says what is answered while an upstream is unreachable or silent', async () => {
    await mapped.restart({ IDENTITY_ADMIN_URL: CLOSED });
    for (const target of BEHIND_UPSTREAMS) await ask('GET', target);
    const whose = '/api/security/operators/names?identifier=ada%40example.com';
    await mapped.restart({ AUTH_IDENTITY_ADMIN_URL: CLOSED });
    await ask('GET', whose);
    await mapped.restart({ ...IMPATIENT, AUTH_IDENTITY_ADMIN_URL: mapped.identityAdmin.url });
    mapped.identityAdmin.before = () => 'silence';
    await ask('GET', whose);
    await mapped.restart(IMPATIENT);
    mapped.identityAdmin.before = () => 'silence';
    await Promise.all(BEHIND_UPSTREAMS.map((target) => ask('GET', target)));
  });

  it('says what is answered where the index, or what its rows are read from, fails', async () => {
    await mapped.restart(IMPATIENT);
    await indexReady(mapped.dashboard, mapped.sessions.admin);
    const shown = ['/api/identities/search', '/api/oauth-clients/search'];
    for (const given of [{ status: 500 }, 'silence'] as const) {
      mapped.identityAdmin.before = () => given;
      mapped.oauthAdmin.before = () => given;
      await Promise.all(shown.map((target) => ask('GET', target)));
    }
    await mapped.restart({ IDENTITY_INDEX: 'off' });
    const others = ['/api/identities/search/ids', '/api/identities/search/count'];
    const sessions = ['/api/session-locations', '/api/security/sessions', '/api/security/sessions/ids'];
    for (const target of [...shown, ...others, ...sessions]) await ask('GET', target);

    const tooLong = () => Promise.reject(new SearchTooLong());
    const index = {
      ready: async () => {},
      searchPeople: tooLong,
      peopleIds: tooLong,
      countPeople: tooLong,
    } as Partial<IdentityIndex> as IdentityIndex;
    const store = {} as IdentityStore;
    const router = identitiesRouter({
      directory: {} as IdentityDirectory,
      search: identitySearch(index, store),
      store,
      audit: { record: async () => {} } as Partial<AuditTrail> as AuditTrail,
    });
    const app = await startGateApp({ routes: [['/api/identities', 'identities.read', router]] });
    for (const target of ['/api/identities/search', ...others])
      await responses.check('GET', target, await app.call(target, { session: 'admin' }));
    await app.close();
  });

  it('says how a sign-in goes on and ends, also for callers that are no browsers', async () => {
    const response = async (query: string): Promise<void> => {
      const jar = new CookieJar();
      const login = await visit(`${mapped.dashboard.url}/api/auth/login`, jar);
      const state = new URL(login.headers.get('location') ?? '').searchParams.get('state') ?? '';
      const target = `/api/auth/callback?state=${state}&${query}`;
      const init = { headers: { accept: 'application/json' } };
      await responses.check('GET', target, await visit(`${mapped.dashboard.url}${target}`, jar, init));
    };
    await response('error=access_denied');
    await mapped.restart({ AUTH_INTERNAL_URL: CLOSED });
    await response('code=x');
    await mapped.restart({ ...IMPATIENT, AUTH_INTERNAL_URL: mapped.oauthAdmin.url });
    mapped.oauthAdmin.before = () => 'silence';
    await response('code=x');
    await ask('POST', '/api/auth/logout', { session: undefined });
  });

  it('says what health answers while the service cannot work', async () => {
    const ping = () => Promise.reject(new Error('away'));
    const health = healthHandler({ version: '1.2.3', ping, isDraining: () => false, now: () => 0 });
    const [, { publicRoutes }] = gateDeps({});
    const app = await startGateApp({ publicRoutes: { ...publicRoutes, health } });
    await responses.check('GET', '/api/health', await app.call('/api/health'));
    await app.close();
  });

  it('says how a request through a proxy fails here', async () => {
    const { dashboard, sessions, oauthAdmin } = mapped;
    const failing = (session: string | undefined, code: ErrorCode, upstreams = UPSTREAMS) =>
      Promise.all(
        upstreams.map(async ({ name, admin }) => {
          const response = await dashboard.call(`/api/${name}/health/alive`, { session });
          const body = (await response.json()) as { error: ErrorCode };
          assert.deepEqual([body.error, misfit(SCHEMAS['Error'] ?? {}, body)], [code, []], name);
          assert.ok(proxyErrors(admin).includes(code), `${name} ${code}`);
        }),
      );
    const admins = UPSTREAMS.filter(({ admin }) => admin);
    await mapped.restart({ PROXY_REQUIRE_SESSION: 'true' });
    await failing(undefined, 'not_authenticated', admins);
    await failing(sessions.viewer, 'forbidden', admins);
    const all = (url: string) => Object.fromEntries(UPSTREAMS.map(({ urlVariable }) => [urlVariable, url]));
    await mapped.restart(all(CLOSED));
    await failing(sessions.admin, 'bad_gateway');
    await mapped.restart({ ...IMPATIENT, ...all(oauthAdmin.url) });
    oauthAdmin.before = () => 'silence';
    await failing(sessions.admin, 'gateway_timeout');
  });

  it('documents nothing that was not observed here', () => {
    assert.deepEqual(responses.unseen(), []);
  });
});
