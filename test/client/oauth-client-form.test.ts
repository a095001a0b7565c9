import assert from 'node:assert/strict';
import { documentOf, membersIn, patchOf, withoutSecrets } from '../../client/features/oauth-clients/client-draft.ts';
import { CLIENT_KINDS, fieldsOf, kindOf } from '../../client/features/oauth-clients/client-kinds.ts';
import { identityProblems, problemsOf } from '../../client/features/oauth-clients/client-problems.ts';
import type { KindName } from '../../client/features/oauth-clients/client-resource.ts';
import { jsonOrText } from '../../client/record/json-editor.tsx';
import { memberChanges } from '../../client/record/member-changes.ts';
import type { JsonObject } from '../../shared/json.ts';
import { type App, appOfSuite } from '../support/app-in-dom.tsx';
import { eventually, until } from '../support/eventually.ts';
import { clickText, createClient, type StoredClient, sentPatches } from '../support/oauth-client-pages.ts';

const stored = {
  client_id: 'shop',
  client_name: 'Shop',
  redirect_uris: ['https://shop.example/cb'],
  grant_types: ['authorization_code'],
  contacts: [],
  owner: '',
  jwks: {},
  metadata: { team: 'a', deep: { list: [1, 2] } },
  skip_consent: false,
  skip_logout_consent: null,
  implicit_grant_id_token_lifespan: null,
  refresh_token_grant_id_token_lifespan: '1h0m0s',
  client_secret_expires_at: 0,
  created_at: '2026-01-01T00:00:00Z',
  updated_at: '2026-01-02T00:00:00Z',
  of_a_later_version: { a: true },
};
const base = documentOf(stored);
const patchTo = (edited: JsonObject) => patchOf(memberChanges(base, documentOf(edited)), stored);

describe('an edited client', () => {
  it('is sent as a patch of the changed members only, each of them complete', () => {
    assert.deepEqual(
      patchTo({
        ...base,
        client_name: 'New',
        redirect_uris: ['https://shop.example/cb', 'https://shop.example/2'],
        metadata: { team: 'a', deep: { list: [1] } },
        frontchannel_logout_uri: 'https://shop.example/out',
      }),
      [
        { op: 'replace', path: '/client_name', value: 'New' },
        { op: 'replace', path: '/redirect_uris', value: ['https://shop.example/cb', 'https://shop.example/2'] },
        { op: 'replace', path: '/metadata', value: { team: 'a', deep: { list: [1] } } },
        { op: 'add', path: '/frontchannel_logout_uri', value: 'https://shop.example/out' },
      ],
    );
  });

  it('is sent with each removed member set to the empty value of its type', () => {
    assert.deepEqual(patchTo({ of_a_later_version: { a: true } }), [
      { op: 'replace', path: '/client_name', value: '' },
      { op: 'replace', path: '/redirect_uris', value: [] },
      { op: 'replace', path: '/grant_types', value: [] },
      { op: 'replace', path: '/metadata', value: {} },
      { op: 'replace', path: '/refresh_token_grant_id_token_lifespan', value: null },
    ]);
  });
});

describe('the draft of a client', () => {
  it('drops whitespace and empty lines only where they have no meaning', () => {
    assert.deepEqual(
      membersIn({
        members: {
          client_name: ' Shop ',
          scope: ' openid   email\n',
          redirect_uris: [' https://a.example ', ''],
          metadata: { ' a ': ' b ' },
          of_a_later_version: ' as it is ',
        },
      }),
      {
        client_name: 'Shop',
        scope: 'openid email',
        redirect_uris: ['https://a.example'],
        metadata: { ' a ': ' b ' },
        of_a_later_version: ' as it is ',
      },
    );
    const stored = { client_name: ' Shop ', contacts: ['a\nb', ''] };
    assert.deepEqual(membersIn({ members: stored }, stored), stored, 'unchanged members keep their whitespace');
  });

  it('reports members that are not valid JSON, and JSON that is not an object', () => {
    assert.throws(() => membersIn({ members: { metadata: jsonOrText('{') } }), {
      problems: { '/metadata': 'Line 1, column 2: expected a name in double quotes, found the end of the line.' },
    });
    assert.throws(() => membersIn({ members: [] }), { problems: { '': 'Enter a JSON object.' } });
  });

  it('is never stored with a secret, or with text that may contain one', () => {
    const members = { client_name: 'a', client_secret: 'hidden', registration_access_token: 'hidden' };
    assert.deepEqual(withoutSecrets({ members }), { members: { client_name: 'a' } });
    assert.equal(withoutSecrets({ members: jsonOrText('{"client_secret":"hidden"') }), undefined);
    assert.equal(withoutSecrets({ members: { metadata: jsonOrText('{"client_secret":"hidden"') } }), undefined);
  });
});

describe('the check of a client before it is sent', () => {
  const rejected: [string, JsonObject, string][] = [
    ['a fragment in a redirect address', { redirect_uris: ['https://a.example/#x'] }, '/redirect_uris'],
    ['a path in an allowed origin', { allowed_cors_origins: ['https://a.example/app'] }, '/allowed_cors_origins'],
    ['a sector identifier URI without https', { sector_identifier_uri: 'http://a.example' }, '/sector_identifier_uri'],
    ['a token lifetime in days', { implicit_grant_id_token_lifespan: '30d' }, '/implicit_grant_id_token_lifespan'],
    ['a private key among public keys', { jwks: { keys: [{ kty: 'RSA', n: 'n', e: 'AQAB', d: 'private' }] } }, '/jwks'],
    ['both keys and their URL', { jwks: { keys: [{ kty: 'RSA' }] }, jwks_uri: 'https://a.example/jwks' }, '/jwks_uri'],
    [
      'a logout address on a different host than the redirect addresses',
      { redirect_uris: ['https://a.example/cb'], post_logout_redirect_uris: ['https://b.example/'] },
      '/post_logout_redirect_uris',
    ],
    ['a code grant without a redirect address', { grant_types: ['authorization_code'] }, '/redirect_uris'],
  ];
  for (const [what, members, path] of rejected)
    it(`reports ${what}`, () => assert.deepEqual(Object.keys(problemsOf(members)), [path]));

  it('accepts a fragment in the address of a request object', () =>
    assert.deepEqual(problemsOf({ request_uris: ['https://a.example/request.jwt#hash'] }), {}));

  it('rejects a typed secret, a changed ID, and an ID that no URL can contain', () => {
    assert.deepEqual(Object.keys(identityProblems({ client_secret: 'typed' }, 'shop')), ['/client_secret']);
    assert.deepEqual(Object.keys(identityProblems({ client_id: 'other' }, 'shop')), ['/client_id']);
    assert.deepEqual(identityProblems({ client_id: 'shop' }, 'shop'), {});
    for (const id of ['.', '..', 'a\nb', 'a\u202eb', 'x'.repeat(256), 5])
      assert.deepEqual(Object.keys(identityProblems({ client_id: id }, undefined)), ['/client_id'], String(id));
    assert.deepEqual(identityProblems({ client_id: 'https://app.example/client' }, undefined), {});
  });
});

describe('the presets for applications', () => {
  it('pass the check, have a secret only if the application can protect it, and use no implicit or password grant', () => {
    for (const [name, { members, first }] of Object.entries(CLIENT_KINDS)) {
      assert.equal(members.token_endpoint_auth_method !== 'none', ['web', 'machine'].includes(name), name);
      const address = first.includes('redirect_uris') ? { redirect_uris: ['https://a.example/cb'] } : {};
      assert.deepEqual(problemsOf({ ...members, ...address }), {}, name);
      assert.deepEqual([kindOf(members), fieldsOf(members, kindOf(members)).first], [name, first]);
      assert.doesNotMatch(JSON.stringify(members.grant_types), /implicit|password/);
      assert.doesNotMatch(JSON.stringify(members.response_types), /token/);
      assert.equal(members.skip_consent, undefined);
    }
    assert.deepEqual(CLIENT_KINDS.browser.members.grant_types, ['authorization_code']);
  });
});

describe('the form of a client', () => {
  const { machine, web, browser } = CLIENT_KINDS;
  for (const [members, kind, more, preset] of [
    [{ ...machine.members, subject_type: 'public', jwks: {}, skip_consent: false }, 'machine', [], 3],
    [{ ...machine.members, redirect_uris: ['https://a.example'] }, 'machine', ['redirect_uris'], 2],
    [{ ...web.members, token_endpoint_auth_method: 'private_key_jwt' }, 'web', ['token_endpoint_auth_method'], 2],
    [{ ...browser.members, subject_type: 'pairwise' }, 'browser', ['subject_type'], 3],
    [{ grant_types: ['implicit'], response_types: ['token'] }, undefined, ['response_types'], 0],
  ] as [JsonObject, KindName | undefined, string[], number][])
    it(`shows the fields of the kind ${kind} and ${more.join() || 'no others'} of ${JSON.stringify(members)}`, () => {
      const { first, preset: others } = fieldsOf(members, kindOf(members));
      const ofKind = kind === undefined ? ['client_name', 'owner', 'grant_types', 'scope'] : CLIENT_KINDS[kind].first;
      assert.deepEqual([kindOf(members), first, others.length], [kind, [...ofKind, ...more], preset]);
    });
});

/** `test/e2e/oauth-clients.test.ts` proves that no secret remains in the browser. */
describe('the secret of an OAuth2 client', () => {
  const suite = appOfSuite({ service: 'OAUTH_ADMIN_URL' });
  const machine = (): Promise<StoredClient> =>
    createClient(suite, { grant_types: ['client_credentials'], response_types: [], redirect_uris: [] });
  const onClient = ({ client_id, client_name }: StoredClient, work: (app: App) => Promise<void>, tab = '') =>
    suite.open(`/oauth/clients/${client_id}${tab}`, { heading: client_name }, work);

  async function openRotation(app: App, client: StoredClient): Promise<HTMLElement> {
    await app.press('More actions');
    await app.user.click(await app.screen.findByRole('menuitem', { name: 'Rotate secret…' }));
    const dialog = await app.screen.findByRole('dialog', { name: /Rotate the secret of/ });
    await app.fill(/^Type .* to confirm/, client.client_id, dialog);
    return dialog;
  }
  const dialogOfSecret = (app: App): HTMLElement | null =>
    app.screen.queryByText('I have stored the secret')?.closest<HTMLElement>('[role=dialog]') ?? null;
  async function displayedSecret(app: App): Promise<string> {
    await app.shows('I have stored the secret');
    return dialogOfSecret(app)?.querySelectorAll('pre')[1]?.textContent ?? '';
  }
  async function acknowledge(app: App): Promise<void> {
    await app.user.click(await app.screen.findByLabelText('I have stored the secret'));
    await clickText(app, 'Done');
    await until(() => dialogOfSecret(app) === null);
  }

  it('is rotated only after the full ID or name is typed', async () => {
    const client = await machine();
    await onClient(client, async (app) => {
      const dialog = await openRotation(app, client);
      const rotate = (): HTMLButtonElement | undefined =>
        [...dialog.querySelectorAll('button')].find(({ textContent }) => textContent === 'Rotate secret');
      for (const wrong of ['', client.client_name.slice(0, -1), `${client.client_name} or ${client.client_id}`]) {
        await app.fill(/^Type .* to confirm/, wrong, dialog);
        await eventually(() => rotate()?.disabled, true, wrong);
      }
      await app.fill(/^Type .* to confirm/, client.client_name, dialog);
      await app.press('Rotate secret', dialog);
      const secret = await displayedSecret(app);
      assert.match(secret, /^[\w-]{43}$/);
      assert.deepEqual(sentPatches(suite), [[{ op: 'replace', path: '/client_secret', value: secret }]]);
      await acknowledge(app);
      assert.ok(!document.body.innerHTML.includes(secret));
      await eventually(() => document.querySelector('main')?.textContent, /SecretRotated (?:just now|\d+ second)/);
    });
  });

  it('stays the same on a retry after a lost response, and is displayed even if the operator cancels', async () => {
    const client = await machine();
    await onClient(client, async (app) => {
      suite.upstream.after = ({ method }) => (method === 'PATCH' ? 'lost' : undefined);
      const dialog = await openRotation(app, client);
      await app.press('Rotate secret', dialog);
      await until(() => dialog.querySelector('[role=alert]') !== null);
      await app.press('Rotate secret', dialog);
      await eventually(() => sentPatches(suite).length, 2);
      const [first, second] = sentPatches(suite);
      assert.deepEqual(second, first);
      await app.press('Cancel', dialog);
      assert.equal(await displayedSecret(app), first?.[0]?.value);
      await app.shows('The OAuth server did not confirm the secret');
      await acknowledge(app);
    });
  });

  it('is generated and saved by the same request that makes a public client confidential', async () => {
    const client = await createClient(suite, { token_endpoint_auth_method: 'none' });
    await onClient(
      client,
      async (app) => {
        await app.choose('Authentication at the token endpoint', 'client_secret_post');
        await clickText(app, 'Save');
        const secret = await displayedSecret(app);
        assert.deepEqual(sentPatches(suite), [
          [
            { op: 'replace', path: '/token_endpoint_auth_method', value: 'client_secret_post' },
            { op: 'replace', path: '/client_secret', value: secret },
          ],
        ]);
        await acknowledge(app);
        await app.shows('Confidential');
      },
      '/edit',
    );
  });

  it('is displayed again, without an Undo button, if the edit is repeated after a lost response', async () => {
    const client = await createClient(suite, { token_endpoint_auth_method: 'none' });
    await onClient(
      client,
      async (app) => {
        suite.upstream.after = ({ method }) => (method === 'PATCH' ? 'lost' : undefined);
        await app.choose('Authentication at the token endpoint', 'client_secret_post');
        await clickText(app, 'Save');
        const secret = await displayedSecret(app);
        await app.shows('This secret may be active');
        await acknowledge(app);
        suite.upstream.reset();
        await clickText(app, 'Save');
        assert.equal(await displayedSecret(app), secret);
        await app.shows('Copy the client secret now');
        assert.equal(app.screen.queryByRole('button', { name: 'Undo', hidden: true }), null);
        await acknowledge(app);
        await app.shows('Confidential');
      },
      '/edit',
    );
  });
});
