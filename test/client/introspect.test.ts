import assert from 'node:assert/strict';
import { endOf, tokenIn } from '../../client/features/introspect/introspection.ts';
import { type App, withApp } from '../support/app-in-dom.tsx';
import { stubApi } from '../support/identity-dom.ts';

const INTROSPECT = '/api/oauth-admin/admin/oauth2/introspect';
const PUBLIC = { client_id: 'app', client_name: 'App', token_endpoint_auth_method: 'none' };

describe('the introspection page', () => {
  /** The response of the OAuth server, which is requested again after each action. */
  let introspected: () => object | Response;
  let client: object;
  beforeEach(() => {
    client = PUBLIC;
  });
  const introspecting = (token: string, work: (app: App) => Promise<void>): Promise<void> =>
    withApp(
      'http://dashboard.test',
      '/oauth/introspect',
      {
        heading: 'Introspect',
        respond: stubApi(({ method, path }) => {
          if (path === INTROSPECT) return introspected();
          if (path.startsWith('/api/oauth-admin/admin/clients/')) return client;
          return method === 'GET' ? undefined : new Response(null, { status: 204 });
        }),
      },
      async (app) => {
        await introspect(app, token);
        await work(app);
      },
    );
  async function introspect(app: App, token: string): Promise<void> {
    await app.fill('Token', token);
    await app.user.type(app.screen.getByLabelText('Token'), '{Enter}');
  }
  const writes = (app: App): string[] =>
    app.requests
      .filter(({ method, path }) => method !== 'GET' && path !== INTROSPECT)
      .map(({ method, path, body }) => `${method} ${path} ${body}`);

  it('revokes a token of a public client as that client, and reports if the token is still valid afterwards', () => {
    let active = true;
    introspected = () => (active ? { active, client_id: 'app', sub: 'x', token_use: 'refresh_token' } : { active });
    return introspecting('ory_rt_public', async (app) => {
      await app.shows('Refresh token');
      await app.press('Revoke token…');
      const dialog = await app.screen.findByRole('dialog');
      await app.press('Revoke token', dialog);
      await app.shows(/the token is still valid/, dialog);
      active = false;
      await app.press('Revoke token', dialog);
      await app.shows(/This token is not valid\./);
      assert.deepEqual(writes(app), Array(2).fill('POST /api/oauth/oauth2/revoke token=ory_rt_public&client_id=app'));
    });
  });

  it('shows no result, and keeps the pasted token, if the server fails', () => {
    introspected = () => ({ active: true });
    return introspecting('ory_at_first', async (app) => {
      await app.shows(/This token is valid\./);
      introspected = () => Response.json({ error: 'error' }, { status: 500 });
      await introspect(app, 'ory_at_second');
      await app.screen.findByRole('alert');
      assert.ok(!app.screen.queryByText(/This token is valid\./), 'this is the result of the earlier token');
      assert.equal(app.screen.getByLabelText<HTMLTextAreaElement>('Token').value, 'ory_at_second');
    });
  });

  it('revokes consents in place of the token if the client has a secret', () => {
    client = { ...PUBLIC, token_endpoint_auth_method: 'client_secret_basic' };
    introspected = () => ({ active: true, client_id: 'app', sub: 'a person' });
    return introspecting('ory_at_confidential', async (app) => {
      const link = await app.screen.findByRole('link', { name: 'View consents' });
      assert.match(link.getAttribute('href') ?? '', /consents\?subject=a\+person&client=app$/);
      await app.press('Revoke consents…');
      const { respond } = app;
      app.respond = (request) => {
        if (request.method === 'GET' && request.path.includes('sessions/consent')) return Response.json([]);
        if (request.method === 'DELETE') introspected = () => ({ active: false });
        return respond(request);
      };
      await app.fill('Reason or ticket', 'SUP-1');
      await app.press('Revoke consents', await app.screen.findByRole('dialog'));
      await app.shows(/This token is not valid\./);
      const consents = '/api/oauth-admin/admin/oauth2/auth/sessions/consent?subject=a+person&client=app';
      assert.deepEqual(writes(app), [`DELETE ${consents} `]);
      assert.equal(app.requests.find(({ method }) => method === 'DELETE')?.reason, 'SUP-1');
    });
  });
});

describe('a pasted token', () => {
  it('is recognized with a header or scheme, in quotation marks, and with line breaks', () => {
    for (const text of [
      'Authorization: Bearer ory_at_abc.d-e_f',
      'bearer  ory_at_abc.d-e_f\n',
      '"ory_at_abc.d-e_f",',
      'ory_at_abc\n  .d-e_f',
    ])
      assert.equal(tokenIn(text), 'ory_at_abc.d-e_f');
  });

  it('can be revoked directly, through its consents or with all tokens of its client, but not without a client', () => {
    const token = { active: true, client_id: 'app', sub: 'ada' };
    assert.deepEqual(endOf(token, PUBLIC), { way: 'revoke', clientId: 'app' });
    assert.deepEqual(endOf(token, undefined), { way: 'consent', clientId: 'app', subject: 'ada' });
    assert.deepEqual(endOf({ ...token, sub: 'app' }, undefined), { way: 'client-tokens', clientId: 'app' });
    assert.equal(endOf({ active: true }, undefined), undefined);
  });
});
