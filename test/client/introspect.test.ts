import assert from 'node:assert/strict';
import { endOf, tokenIn } from '../../client/features/introspect/introspection.ts';
import { type App, withApp } from '../support/app-in-dom.tsx';
import { givenApi } from '../support/identity-dom.ts';

const INTROSPECT = '/api/oauth-admin/admin/oauth2/introspect';
const PUBLIC = { client_id: 'app', client_name: 'App', token_endpoint_auth_method: 'none' };

describe('the introspection of a token', () => {
  /** What the OAuth server says of a token; it is asked once more after each act. */
  let said: () => object | Response;
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
        respond: givenApi(({ method, path }) => {
          if (path === INTROSPECT) return said();
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
    await app.press('Introspect');
  }
  const writes = (app: App): string[] =>
    app.requests
      .filter(({ method, path }) => method !== 'GET' && path !== INTROSPECT)
      .map(({ method, path, body }) => `${method} ${path} ${body}`);

  it('revokes a token of a public client as that client, checks it again, and says if it is still valid', () => {
    let active = true;
    said = () => (active ? { active, client_id: 'app', sub: 'x', token_use: 'refresh_token' } : { active });
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

  it('says nothing about a token, and keeps what was pasted, if the server fails', () => {
    said = () => ({ active: true });
    return introspecting('ory_at_another', async (app) => {
      await app.shows(/This token is valid\./);
      said = () => Response.json({ error: 'error' }, { status: 500 });
      await introspect(app, 'ory_at_some');
      await app.screen.findByRole('alert');
      assert.ok(!app.screen.queryByText(/This token is valid\./), 'that was said of another one');
      assert.equal(app.screen.getByLabelText<HTMLTextAreaElement>('Token').value, 'ory_at_some');
    });
  });

  it('revokes the person’s consents if the client has a secret', () => {
    client = { ...PUBLIC, token_endpoint_auth_method: 'client_secret_basic' };
    said = () => ({ active: true, client_id: 'app', sub: 'a person' });
    return introspecting('ory_at_confidential', async (app) => {
      const link = await app.screen.findByRole('link', { name: 'View consents' });
      assert.match(link.getAttribute('href') ?? '', /consents\?subject=a\+person&client=app$/);
      await app.press('Revoke consents…');
      const act = app.respond;
      app.respond = (request) => {
        if (request.method === 'GET' && request.path.includes('sessions/consent')) return Response.json([]);
        if (request.method === 'DELETE') said = () => ({ active: false });
        return act(request);
      };
      await app.press('Revoke consents', await app.screen.findByRole('dialog'));
      await app.shows(/This token is not valid\./);
      const consents = '/api/oauth-admin/admin/oauth2/auth/sessions/consent?subject=a+person&client=app';
      assert.deepEqual(writes(app), [`DELETE ${consents} `]);
    });
  });
});

describe('a pasted token', () => {
  it('is found with its header or scheme, in quotes, and with line breaks', () => {
    for (const text of [
      'Authorization: Bearer ory_at_abc.d-e_f',
      'bearer  ory_at_abc.d-e_f\n',
      '"ory_at_abc.d-e_f",',
      'ory_at_abc\n  .d-e_f',
    ])
      assert.equal(tokenIn(text), 'ory_at_abc.d-e_f');
  });

  it('is revoked alone, with the consents, with all access tokens of its client, or not at all', () => {
    const token = { active: true, client_id: 'app', sub: 'somebody' };
    assert.deepEqual(endOf(token, PUBLIC), { way: 'revoke', clientId: 'app' });
    assert.deepEqual(endOf(token, undefined), { way: 'consent', clientId: 'app', subject: 'somebody' });
    assert.deepEqual(endOf({ ...token, sub: 'app' }, undefined), { way: 'client-tokens', clientId: 'app' });
    assert.equal(endOf({ active: true }, undefined), undefined);
  });
});
