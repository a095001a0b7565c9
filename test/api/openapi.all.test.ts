import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { proxyErrors } from '../../docs/openapi/openapi.ts';
import { ROUTES } from '../../docs/openapi/routes.ts';
import { SCHEMAS } from '../../docs/openapi/schemas.ts';
import type { AuditTrail } from '../../server/audit/trail.ts';
import type { Context } from '../../server/context.ts';
import { healthHandler } from '../../server/features/health.ts';
import { identitiesRoutes } from '../../server/features/identities/identities-router.ts';
import type { IdentityDirectory } from '../../server/features/identities/identity-directory.ts';
import { SearchTooLong } from '../../server/search-index/database.ts';
import type { IdentityIndex } from '../../server/search-index/search-index.ts';
import type { ErrorCode } from '../../shared/errors.ts';
import type { Notes } from '../../shared/notes.ts';
import type { SettingHistory, SettingInput } from '../../shared/settings.ts';
import { UPSTREAMS } from '../../shared/upstreams.ts';
import { indexReady, knexOf } from '../support/dashboard.ts';
import { documentedResponses, schemaErrors } from '../support/documented-responses.ts';
import { sessionItem } from '../support/faulting-upstream.ts';
import { gateDeps, startGateApp } from '../support/gate-app.ts';
import { type CallOptions, CookieJar, sessionIn, visit } from '../support/http-sign-in.ts';
import { startMappedDashboard } from '../support/mapped-dashboard.ts';
import { ofSuite } from '../support/of-suite.ts';

const UNKNOWN_ID = '10000000-0000-4000-8000-000000000000';
const CLOSED = 'http://127.0.0.1:1';
/** So that requests to a silent upstream time out soon. */
const SHORT_TIMEOUT = { PROXY_TIMEOUT_MS: '1000' };
/** Requests that reach the identity service or the OAuth server. */
const BEHIND_UPSTREAMS = [
  '/api/identities',
  '/api/identities/total',
  `/api/identities/${UNKNOWN_ID}/credentials`,
  '/api/session-locations',
  '/api/security/sessions?unknown=true',
  '/api/security/sessions/ids?unknown=true',
  '/api/messages',
  `/api/messages/${UNKNOWN_ID}`,
  `/api/records?record=identity:${UNKNOWN_ID}&record=message:${UNKNOWN_ID}`,
];

describe('the table of routes in docs/openapi', () => {
  const responses = documentedResponses();
  // Its clock runs at a tenth of the speed, so that even a slow machine exceeds the limits per minute.
  const mapped = ofSuite(() => startMappedDashboard({ EVENTS_PORT: '0' }, { monotonic: () => performance.now() / 10 }));
  before(() => indexReady(mapped.dashboard, mapped.sessions.admin));

  /** Sends a request, by default as an administrator, and checks the response against the table. */
  async function request(method: string, target: string, options: CallOptions = {}): Promise<void> {
    const { admin } = mapped.sessions;
    const response = await mapped.dashboard.call(target, { method, session: admin, ...options });
    await responses.check(method, target, response);
  }
  const put = (json: SettingInput) => request('POST', '/api/settings', { json });
  async function lastVersion(history: string): Promise<number> {
    const response = await mapped.dashboard.call(history, { session: mapped.sessions.admin });
    const { versions } = (await response.json()) as SettingHistory;
    return versions[0]?.version ?? assert.fail('no version');
  }

  it('documents the responses to its examples for an administrator and, on public routes, without a session', async () => {
    for (const { method, who, examples = [] } of ROUTES)
      for (const [target] of examples) {
        await request(method, target);
        if (who === 'anyone') await request(method, target, { session: undefined });
      }
  });

  it('documents the responses to writes of settings, layouts and views, whether or not they exist', async () => {
    await put({ key: 'mail.password', value: 'a', encrypted: true, category: 'mail' });
    await put({ key: 'mail.password', value: 'b' });
    const again = { json: { key: 'mail.password', value: 'c' }, headers: { 'if-none-match': '*' } };
    await request('POST', '/api/settings', again);
    await put({ key: 'mail.host', value: 'c' });
    await request('GET', '/api/settings');
    await request('GET', '/api/settings/mail.host');
    await request('DELETE', '/api/settings/mail.host');
    await request('POST', '/api/settings', { json: 'x'.repeat(600_000) });
    await request('POST', '/api/settings', { body: '{}', headers: { 'content-type': 'text/plain' } });
    await request('POST', '/api/encrypt', { json: { value: 'x' } });
    const outdated = { headers: { 'if-match': '"another"' } };
    await request('DELETE', '/api/settings/mail.password', outdated);
    await request('DELETE', '/api/settings/mail.password', { headers: { 'if-match': '' } });
    const history = '/api/setting-history?key=mail.password';
    await request('GET', history);
    const version = await lastVersion(history);
    await request('GET', `${history}&decrypt=true&version=${version}`);
    const restore = (options: CallOptions) =>
      request('POST', '/api/setting-history/restore', { json: { key: 'mail.password', version }, ...options });
    await restore({});
    await restore(outdated);
    await restore({ json: { key: 'mail.password', version: 999_999 } });
    await request('DELETE', '/api/settings/mail.password');
    await restore({});
    await put({ key: 'social.github.client_id', value: 'x' });
    await put({ key: 'social.github.enabled', value: 'true' });
    await request('GET', '/api/connections/social', { session: undefined });
    await request('POST', '/api/security/revocations', { json: { identity_id: UNKNOWN_ID } });
    await request('GET', '/api/security/audit?page_size=2');
    const layout = { widgets: [{ id: 'clock', x: 0, y: 0, w: 3, h: 2 }], hidden: ['map'] };
    await request('PUT', '/api/dashboard/layout', { json: { layout } });
    await request('PUT', '/api/dashboard/layout', { json: { layout }, headers: { 'if-match': '"another"' } });
    await request('GET', '/api/dashboard/layout');
    const views = [{ id: 'mine', resource: 'identities', name: 'Mine', search: 'q=ada' }];
    const favourites = [{ resource: 'client', id: 'web' }];
    await request('PUT', '/api/dashboard/views', { json: { views, favourites } });
    await request('PUT', '/api/dashboard/views', { json: { views }, headers: { 'if-match': '"another"' } });
    await request('GET', '/api/dashboard/views');
  });

  const recover = (recovery_address_id = UNKNOWN_ID) =>
    request('POST', `/api/identities/${UNKNOWN_ID}/recovery`, { json: { recovery_address_id } });

  const addNote = () => request('POST', `/api/identities/${UNKNOWN_ID}/notes`, { json: { text: 'x' } });

  it('documents the responses to recoveries, and about a message', async () => {
    const isFlow = (path: string) => path.startsWith('/self-service');
    const recovery_addresses = [{ id: UNKNOWN_ID, via: 'email', value: 'ada@example.com' }];
    const person = (state: string) => JSON.stringify({ id: UNKNOWN_ID, state, recovery_addresses });
    const respond = (state: string) => {
      mapped.identityAdmin.before = ({ path }) =>
        isFlow(path) ? { status: 303 } : { status: 200, body: person(state) };
    };
    respond('active');
    await recover(randomUUID());
    for (let count = 0; count <= 3; count += 1) await recover();
    await request('GET', `/api/messages/${UNKNOWN_ID}`);
    respond('inactive');
    await recover();
    await mapped.restart({ IDENTITY_URL: mapped.identityAdmin.url });
    respond('active');
    await recover();
  });

  it('documents the responses about notes', async () => {
    mapped.identityAdmin.before = () => ({ status: 200, body: JSON.stringify({ id: UNKNOWN_ID }) });
    const notes = `/api/identities/${UNKNOWN_ID}/notes`;
    await request('POST', notes, { json: {} });
    await addNote();
    await request('GET', notes);
    const response = await mapped.dashboard.call(notes, { session: mapped.sessions.admin });
    const note = `${notes}/${((await response.json()) as Notes).notes[0]?.id}`;
    for (const json of [{}, { text: 'y' }]) await request('PUT', note, { json });
    await request('DELETE', note);
  });

  it('documents the responses when identities and sessions are found', async () => {
    const list = (items: unknown[]) => ({ status: 200, body: JSON.stringify(items) });
    mapped.identityAdmin.before = ({ path }) =>
      path.startsWith('/admin/sessions') ? list([sessionItem(1)]) : undefined;
    await request('GET', '/api/session-locations');
    await request('GET', '/api/security/sessions?lat=60&lng=11');
    await request('GET', '/api/geo?ip=203.0.113.9&ip=192.0.2.1');
    for (const zone of Intl.supportedValuesOf('timeZone').slice(0, 31))
      await request('GET', `/api/dashboard/statistics?time_zone=${zone}`);
    const { identityId } = sessionIn(mapped.sessions.admin);
    await request('GET', `/api/identities/${identityId}/credentials`);
    await request('GET', `/api/records?record=identity:${identityId}&record=client:web`);
    // Kratos returns every identity if it does not support the parameter.
    mapped.identityAdmin.before = () => list([{ id: UNKNOWN_ID }]);
    await request('GET', '/api/identities?credentials_identifier_prefix=ada');
  });

  it('documents the responses about locked accounts, and to more than sixty unlocks a minute', async () => {
    const knex = knexOf(mapped.dashboard);
    const row = { reason: 'wrong_password', attempts: 5, trigger_ip: null, locked_at: new Date().toISOString() };
    await knex('locked_accounts').insert({ identifier: 'ada@example.com', ...row });
    await knex.destroy();
    await request('GET', '/api/security/locked-accounts');
    for (let count = 0; count <= 60; count += 1)
      await request('POST', '/api/security/locked-accounts/unlock', { json: { identifier: 'ada@example.com' } });
  });

  it('documents the responses to more than sixty decryptions a minute, and about a value that no key decrypts', async () => {
    const history = '/api/setting-history?key=mail.password';
    const version = await lastVersion(history);
    for (let count = 0; count <= 60; count += 1) await request('GET', '/api/settings/mail.password?decrypt=true');
    await request('GET', `${history}&decrypt=true&version=${version}`);
    await mapped.restart({ ENCRYPTION_KEY: 'another-key-of-the-tests-0123456789-abcdefgh' });
    await request('GET', '/api/settings/mail.password?decrypt=true');
    await request('GET', `${history}&decrypt=true&version=${version}`);
    await request('POST', '/api/setting-history/restore', { json: { key: 'mail.password', version } });
    await request('DELETE', history);
  });

  it('documents the responses while an upstream is unreachable or silent', async () => {
    await mapped.restart({ IDENTITY_ADMIN_URL: CLOSED });
    for (const target of BEHIND_UPSTREAMS) await request('GET', target);
    await recover();
    await addNote();
    const names = '/api/security/operators/names?identifier=ada%40example.com';
    await mapped.restart({ AUTH_IDENTITY_ADMIN_URL: CLOSED });
    await request('GET', names);
    await mapped.restart({ ...SHORT_TIMEOUT, AUTH_IDENTITY_ADMIN_URL: mapped.identityAdmin.url });
    mapped.identityAdmin.before = () => 'silence';
    await request('GET', names);
    await mapped.restart(SHORT_TIMEOUT);
    mapped.identityAdmin.before = () => 'silence';
    await Promise.all([...BEHIND_UPSTREAMS.map((target) => request('GET', target)), recover(), addNote()]);
  });

  it('documents the responses to searches while the index fails, and while the upstreams fail', async () => {
    await mapped.restart(SHORT_TIMEOUT);
    await indexReady(mapped.dashboard, mapped.sessions.admin);
    const searches = ['/api/identities/search', '/api/oauth-clients/search'];
    for (const fault of [{ status: 500 }, 'silence'] as const) {
      mapped.identityAdmin.before = () => fault;
      mapped.oauthAdmin.before = () => fault;
      await Promise.all(searches.map((target) => request('GET', target)));
    }
    await mapped.restart({ IDENTITY_INDEX: 'off' });
    const others = ['/api/identities/search/ids', '/api/identities/search/count'];
    const sessions = ['/api/session-locations', '/api/security/sessions', '/api/security/sessions/ids'];
    for (const target of [...searches, ...others, ...sessions]) await request('GET', target);

    const tooLong = () => Promise.reject(new SearchTooLong());
    const searchIndex = {
      ready: async () => {},
      searchIdentities: tooLong,
      identityIds: tooLong,
      countIdentities: tooLong,
    };
    const index = searchIndex as Partial<IdentityIndex> as IdentityIndex;
    const audit = { record: async () => {} } as Partial<AuditTrail> as AuditTrail;
    const context = { index, audit } as Partial<Context> as Context;
    const app = await startGateApp({ routes: identitiesRoutes(context, {} as IdentityDirectory) });
    for (const target of ['/api/identities/search', ...others])
      await responses.check('GET', target, await app.call(target, { session: 'admin' }));
    await app.close();
  });

  it('documents the responses to a failed sign-in for callers other than browsers, and to a sign-out', async () => {
    const finishSignIn = async (query: string): Promise<void> => {
      const jar = new CookieJar();
      const login = await visit(`${mapped.dashboard.url}/api/auth/login`, jar);
      const state = new URL(login.headers.get('location') ?? '').searchParams.get('state') ?? '';
      const target = `/api/auth/callback?state=${state}&${query}`;
      const init = { headers: { accept: 'application/json' } };
      await responses.check('GET', target, await visit(`${mapped.dashboard.url}${target}`, jar, init));
    };
    await finishSignIn('error=access_denied');
    await mapped.restart({ AUTH_INTERNAL_URL: CLOSED });
    await finishSignIn('code=x');
    await mapped.restart({ ...SHORT_TIMEOUT, AUTH_INTERNAL_URL: mapped.oauthAdmin.url });
    mapped.oauthAdmin.before = () => 'silence';
    await finishSignIn('code=x');
    await request('POST', '/api/auth/logout', { session: undefined });
    for (const target of ['/api/auth/login', '/api/auth/callback'])
      await request('GET', target, { headers: { 'sec-purpose': 'prefetch' } });
  });

  it('documents the responses to a sign-in while the OpenID provider is unreachable or silent', async () => {
    for (const issuer of [CLOSED, mapped.oauthAdmin.url]) {
      const provider = { AUTH_URL: '', AUTH_INTERNAL_URL: '', AUTH_ISSUER: issuer, OPERATORS_FROM: 'identity' };
      await mapped.restart({ ...SHORT_TIMEOUT, ...provider });
      mapped.oauthAdmin.before = () => 'silence';
      await request('GET', '/api/auth/login', { session: undefined });
    }
  });

  it('documents the response to a health check while the database is unavailable', async () => {
    const ping = () => Promise.reject(new Error('away'));
    const health = healthHandler({ version: '1.2.3', ping, isDraining: () => false, now: () => 0 });
    const [, { publicRoutes }] = gateDeps({});
    const app = await startGateApp({ publicRoutes: { ...publicRoutes, health } });
    await responses.check('GET', '/api/health', await app.call('/api/health'));
    await app.close();
  });

  it('documents the errors of the proxies', async () => {
    const { dashboard, sessions, oauthAdmin } = mapped;
    const fails = (session: string | undefined, code: ErrorCode, upstreams = UPSTREAMS) =>
      Promise.all(
        upstreams.map(async ({ name, admin }) => {
          const response = await dashboard.call(`/api/${name}/health/alive`, { session });
          const body = (await response.json()) as { error: ErrorCode };
          assert.deepEqual([body.error, schemaErrors(SCHEMAS['Error'] ?? {}, body)], [code, []], name);
          assert.ok(proxyErrors(admin).includes(code), `${name} ${code}`);
        }),
      );
    const admins = UPSTREAMS.filter(({ admin }) => admin);
    await mapped.restart({ PROXY_REQUIRE_SESSION: 'true' });
    await fails(undefined, 'not_authenticated', admins);
    await fails(sessions.viewer, 'forbidden', admins);
    const all = (url: string) => Object.fromEntries(UPSTREAMS.map(({ urlVariable }) => [urlVariable, url]));
    await mapped.restart(all(CLOSED));
    await fails(sessions.admin, 'bad_gateway');
    await mapped.restart({ ...SHORT_TIMEOUT, ...all(oauthAdmin.url) });
    oauthAdmin.before = () => 'silence';
    await fails(sessions.admin, 'gateway_timeout');
  });

  it('documents no status and no error code that the tests above did not receive', () => {
    assert.deepEqual(responses.unchecked(), []);
  });
});
