import assert from 'node:assert/strict';
import type { IdentityDocument } from '../../server/sandbox/identity-service/identities/identity-document.ts';
import { sandboxBrowser } from '../support/sandbox-browser.ts';
import { type SandboxFixture, sandboxFixture } from '../support/sandbox-fixture.ts';
import { openidOracle } from '../support/sandbox-sign-in.ts';

interface SessionAnswer {
  id: string;
  active: boolean;
  identity: { id: string } | null;
  devices: { ip_address: string; user_agent: string | null }[] | null;
}

describe("the sandbox's identities and sessions", () => {
  let fixture: SandboxFixture;
  beforeEach(async () => {
    fixture = await sandboxFixture();
  });
  afterEach(() => fixture.close());

  const create = async (email: string, more: Record<string, unknown> = {}): Promise<IdentityDocument> => {
    const { status, json } = await fixture.admin<IdentityDocument>('POST', '/admin/identities', {
      schema_id: 'customer',
      traits: { email },
      credentials: { password: { config: { password: 'a-good-password' } } },
      ...more,
    });
    assert.equal(status, 201);
    return json;
  };
  const nativeSignIn = async (identifier: string, password = 'a-good-password') => {
    const flow = (await (await fetch(`${fixture.url('identity')}/self-service/login/api`)).json()) as { id: string };
    const answer = await fetch(`${fixture.url('identity')}/self-service/login?flow=${flow.id}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ method: 'password', identifier, password }),
    });
    return { status: answer.status, token: ((await answer.json()) as { session_token: string }).session_token };
  };
  const whoami = (token: string) =>
    fetch(`${fixture.url('identity')}/sessions/whoami`, { headers: { 'x-session-token': token } });
  const sessionsOf = async (id: string) =>
    (await fixture.admin<SessionAnswer[]>('GET', `/admin/identities/${id}/sessions`)).json;

  it('leave a session with the real browser and address when someone signs in on the page', async () => {
    const { id, traits } = await create('maria@example.com', {
      traits: { email: 'maria@example.com', newsletter: true },
    });
    const oracle = await openidOracle(fixture);
    await oracle.signIn(String(traits.email), 'a-good-password', sandboxBrowser({ 'user-agent': 'Testfox/1.0' }));
    const [session, ...others] = await sessionsOf(id);
    assert.equal(others.length, 0);
    assert.equal(session?.active, true);
    assert.equal(session?.devices?.[0]?.user_agent, 'Testfox/1.0');
    assert.match(session?.devices?.[0]?.ip_address ?? '', /^127\.0\.0\.1:\d+$/);
  });

  it('take their sessions along when they are deleted', async () => {
    const { id } = await create('gone@example.com');
    const { token } = await nativeSignIn('gone@example.com');
    assert.equal((await whoami(token)).status, 200);
    assert.equal((await fixture.admin('DELETE', `/admin/identities/${id}`)).status, 204);
    assert.equal((await whoami(token)).status, 401);
    assert.deepEqual((await fixture.admin<SessionAnswer[]>('GET', '/admin/sessions')).json, []);
  });

  it('cannot sign in while they are inactive, and keep their sessions unchanged', async () => {
    const { id } = await create('paused@example.com');
    const { token } = await nativeSignIn('paused@example.com');
    await fixture.admin('PATCH', `/admin/identities/${id}`, [{ op: 'replace', path: '/state', value: 'inactive' }]);
    assert.equal((await nativeSignIn('paused@example.com')).status, 401);
    const oracle = await openidOracle(fixture);
    const { landed } = await oracle.signIn('paused@example.com', 'a-good-password');
    assert.match(landed.body, /This account is not active/);
    assert.equal((await whoami(token)).status, 401);
    const listed = await fixture.admin<SessionAnswer[]>('GET', '/admin/sessions?active=true');
    assert.equal(listed.json.length, 1, 'the row is as before, and no other was made');
    await fixture.admin('PATCH', `/admin/identities/${id}`, [{ op: 'replace', path: '/state', value: 'active' }]);
    assert.equal((await whoami(token)).status, 200);
  });

  it('let identifiers and addresses follow a new e-mail, which is not verified yet', async () => {
    const verified = [{ value: 'old@example.com', verified: true, via: 'email', status: 'completed' }];
    const { id } = await create('old@example.com', { verifiable_addresses: verified });
    const patch = [{ op: 'replace', path: '/traits/email', value: 'New@Example.com' }];
    const { json } = await fixture.admin<IdentityDocument>('PATCH', `/admin/identities/${id}`, patch);
    assert.deepEqual(json.credentials.password?.identifiers, ['new@example.com']);
    const { value, verified: isVerified, status } = json.verifiable_addresses[0] ?? {};
    assert.deepEqual([value, isVerified, status], ['new@example.com', false, 'pending']);
    assert.equal(json.recovery_addresses[0]?.value, 'new@example.com');
    assert.equal((await nativeSignIn('old@example.com')).status, 400);
    assert.equal((await nativeSignIn('new@example.com')).status, 200);
  });

  it('keep the verification of an address that another change leaves alone', async () => {
    const verified = [{ value: 'kept@example.com', verified: true, via: 'email', status: 'completed' }];
    const { id } = await create('kept@example.com', { verifiable_addresses: verified });
    const patch = [{ op: 'add', path: '/traits/newsletter', value: true }];
    const { json } = await fixture.admin<IdentityDocument>('PATCH', `/admin/identities/${id}`, patch);
    assert.equal(json.verifiable_addresses[0]?.verified, true);
  });

  it('are found by their identifier in any case, and by no part of it', async () => {
    const { id } = await create('A.Bc@Example.com');
    const search = async (identifier: string) => {
      const path = `/admin/identities?credentials_identifier=${encodeURIComponent(identifier)}`;
      return (await fixture.admin<IdentityDocument[]>('GET', path)).json.map((identity) => identity.id);
    };
    assert.deepEqual(await search('a.bc@example.com'), [id]);
    assert.deepEqual(await search(' A.BC@EXAMPLE.COM '), [id]);
    assert.deepEqual(await search('a.bc@'), []);
  });

  it('are found by the beginning of an identifier, page by page, and not by its middle', async () => {
    const ids: string[] = [];
    for (const number of [1, 2, 3]) ids.push((await create(`Hundred${number}@example.com`)).id);
    await create('x.hundred@example.com');
    const search = async (query: string) => {
      const found = await fixture.admin<IdentityDocument[]>('GET', `/admin/identities?${query}`);
      return { ...found, ids: found.status === 200 ? found.json.map((identity) => identity.id) : [] };
    };
    const prefix = 'preview_credentials_identifier_similar=HUNDRED';
    const all = await search(prefix);
    assert.deepEqual(all.ids, [...ids].sort());
    assert.ok(
      all.json.every(({ credentials }) => credentials.password !== undefined),
      'credentials are shown',
    );
    const first = await search(`${prefix}&page_size=2`);
    const next = /<([^>]+)>; rel="next"/.exec(first.headers.get('link') ?? '')?.[1] ?? '';
    assert.match(next, /preview_credentials_identifier_similar=HUNDRED/);
    assert.deepEqual([...first.ids, ...(await search(next.split('?')[1] ?? '')).ids], all.ids);
    assert.deepEqual((await search('preview_credentials_identifier_similar=undred1')).ids, []);
    assert.deepEqual((await search('preview_credentials_identifier_similar=%25')).ids, [], 'a percent sign is one');
    assert.equal((await search(`${prefix}&credentials_identifier=a@example.com`)).status, 400);
  });

  it('are found by a social sign-in exactly as the provider spells it', async () => {
    const providers = [{ provider: 'github', subject: 'Octo' }];
    const { id } = await create('octo@example.com', { credentials: { oidc: { config: { providers } } } });
    const search = async (identifier: string) =>
      (await fixture.admin<IdentityDocument[]>('GET', `/admin/identities?credentials_identifier=${identifier}`)).json
        .length;
    assert.equal(await search('github%3AOcto'), 1);
    assert.equal(await search('github%3Aocto'), 0);
    const removed = await fixture.admin('DELETE', `/admin/identities/${id}/credentials/oidc?identifier=github%3AOcto`);
    assert.equal(removed.status, 400, 'the last way in stays');
  });

  it('cannot be patched into an unknown state, or into something that is not an identity', async () => {
    const { id } = await create('one@example.com');
    const before = (await fixture.admin<IdentityDocument>('GET', `/admin/identities/${id}`)).json;
    const patch = async (operation: object) => {
      const { status, json } = await fixture.admin<{ error?: { reason?: string; message: string } }>(
        'PATCH',
        `/admin/identities/${id}`,
        [operation],
      );
      return [status, json.error?.reason, json.error?.message];
    };
    const noState = [
      400,
      "The supplied state ('') was not valid. Valid states are ('active', 'inactive').",
      'identity state is not valid',
    ];
    const unreadable = (message: string) => [400, 'An error occured when applying the JSON patch', message];
    assert.deepEqual(await patch({ op: 'remove', path: '/state' }), noState);
    assert.deepEqual(await patch({ op: 'replace', path: '/state', value: null }), noState);
    assert.deepEqual(await patch({ op: 'replace', path: '', value: {} }), noState);
    assert.deepEqual(
      await patch({ op: 'add', path: '', value: [] }),
      unreadable('json: cannot unmarshal array into Go value of type identity.WithCredentialsAndAdminMetadataInJSON'),
    );
    assert.deepEqual(
      await patch({ op: 'replace', path: '', value: 'x' }),
      unreadable('json: cannot unmarshal string into Go value of type map[string]*jsonpatch.lazyNode'),
    );
    assert.deepEqual(
      await patch({ op: 'add', path: '/verifiable_addresses/7', value: {} }),
      unreadable(
        "error in add for path: '/verifiable_addresses/7': Unable to access invalid index: 7: invalid index referenced",
      ),
    );
    const { id: _id, credentials: _credentials, ...nameless } = before;
    assert.equal((await patch({ op: 'replace', path: '', value: nameless }))[0], 404);
    assert.deepEqual((await fixture.admin<IdentityDocument>('GET', `/admin/identities/${id}`)).json, before);
  });

  it('lose one of two ways in, but not the second', async () => {
    const { id } = await create('two@example.com', {
      credentials: {
        password: { config: { password: 'a-good-password' } },
        oidc: { config: { providers: [{ provider: 'google', subject: '1' }] } },
      },
    });
    const path = `/admin/identities/${id}/credentials`;
    assert.equal((await fixture.admin('DELETE', `${path}/password`)).status, 204);
    assert.equal((await nativeSignIn('two@example.com')).status, 400);
    assert.equal((await fixture.admin('DELETE', `${path}/oidc?identifier=google%3A1`)).status, 400);
  });

  it('are each seen once on a walk over 1,200 while others are inserted', async () => {
    await fixture.close();
    fixture = await sandboxFixture({ people: 1200 });
    const present = new Set<string>();
    for await (const { id } of walk()) present.add(id);
    assert.equal(present.size, 1202);
    const seen: string[] = [];
    let inserted = 0;
    for await (const { id } of walk(async () => void (await create(`late-${++inserted}@example.com`)))) seen.push(id);
    assert.equal(new Set(seen).size, seen.length, 'none twice');
    assert.deepEqual(
      [...present].filter((id) => !seen.includes(id)),
      [],
    );
  });

  async function* walk(between: () => Promise<void> = async () => {}): AsyncGenerator<IdentityDocument> {
    let path = '/admin/identities?page_size=50';
    while (path !== '') {
      const { json, headers } = await fixture.admin<IdentityDocument[]>('GET', path);
      yield* json;
      await between();
      path = /<([^>]+)>; rel="next"/.exec(headers.get('link') ?? '')?.[1] ?? '';
    }
  }

  it('can be created in a batch whose items succeed or fail independently', async () => {
    const item = (email: string) => ({ create: { schema_id: 'customer', traits: { email } } });
    const identities = [
      item('one@example.com'),
      item('not an address'),
      item('one@example.com'),
      item('two@example.com'),
    ];
    const { json } = await fixture.admin<{ identities: { action: string; error?: { code: number } }[] }>(
      'PATCH',
      '/admin/identities',
      { identities },
    );
    assert.deepEqual(
      json.identities.map(({ action, error }) => error?.code ?? action),
      ['create', 400, 409, 'create'],
    );
  });

  it('cannot be made by a batch of more than a thousand', async () => {
    const identities = Array.from({ length: 1001 }, (_, n) => ({
      create: { schema_id: 'customer', traits: { email: `n${n}@example.com` } },
    }));
    assert.equal((await fixture.admin('PATCH', '/admin/identities', { identities })).status, 400);
    assert.equal((await fixture.admin<unknown[]>('GET', '/admin/identities')).json.length, 2);
  });

  it('survive a restart with sessions, credentials and metadata', async () => {
    const { id } = await create('kept@example.com', { metadata_admin: { note: 'kept' }, external_id: 'crm-1' });
    const { token } = await nativeSignIn('kept@example.com');
    await fixture.restart();
    const { json } = await fixture.admin<IdentityDocument>('GET', `/admin/identities/${id}`);
    assert.deepEqual([json.metadata_admin, json.external_id], [{ note: 'kept' }, 'crm-1']);
    assert.equal((await whoami(token)).status, 200);
  });
});
