import assert from 'node:assert/strict';
import type { IdentityDocument } from '../../server/sandbox/identity-service/identities/identity-document.ts';
import { type SandboxFixture, sandboxFixture } from '../support/sandbox-fixture.ts';

const NO_TOKENS = { initial_id_token: '', initial_access_token: '', initial_refresh_token: '' };

interface BatchAnswer {
  identities: { action: string; error?: { code: number } }[];
  error?: { code: number; reason?: string; message: string };
}

describe("the sandbox's batches of identities", () => {
  let fixture: SandboxFixture;
  beforeEach(async () => {
    fixture = await sandboxFixture();
  });
  afterEach(() => fixture.close());

  const item = (email: string, more: object = {}) => ({
    create: { schema_id: 'customer', traits: { email }, ...more },
  });
  const withPassword = (config: object) => ({ credentials: { password: { config } } });
  const batch = (...identities: object[]) => fixture.admin<BatchAnswer>('PATCH', '/admin/identities', { identities });
  const stored = async () => (await fixture.admin<IdentityDocument[]>('GET', '/admin/identities')).json.length;

  it('succeed or fail item by item where two or more fit their schemas', async () => {
    await batch(item('taken@example.com'));
    const { status, json } = await batch(item('taken@example.com'), item('no address'), item('new@example.com'));
    assert.equal(status, 200);
    assert.deepEqual(
      json.identities.map(({ action, error }) => error?.code ?? action),
      [409, 400, 'create'],
    );
    const both = await batch(item('taken@example.com'), item('new@example.com'));
    assert.deepEqual([both.status, both.json.identities.map(({ error }) => error?.code)], [200, [409, 409]]);
  });

  it('are 409 as a whole where exactly one fits its schema and that one conflicts', async () => {
    await batch(item('taken@example.com'));
    for (const items of [[item('taken@example.com')], [item('taken@example.com'), item('no address')]]) {
      const { status, json } = await batch(...items);
      assert.deepEqual([status, json.error?.code], [409, 409]);
    }
    assert.equal((await batch(item('no address'))).status, 200, 'none fits');
  });

  it('are 400 as a whole, with nothing made, for a hash or a state that does not exist', async () => {
    for (const [bad, code] of [
      [withPassword({ hashed_password: 'plain' }), 400],
      [{ state: 'blocked' }, 400],
      [{ credentials: { totp: { config: {} } } }, 500],
      [{ credentials: { password: { config: { pasword: 'x' } } } }, 500],
      [{ credentials: { password: { hash: 'x' } } }, 500],
    ] as const) {
      const { status, json } = await batch(item('one@example.com'), item('two@example.com', bad));
      assert.deepEqual([status, json.error?.code], [400, code], JSON.stringify(bad));
    }
    assert.equal(await stored(), 2, 'the operators alone');
  });

  it('say which credential cannot be imported', async () => {
    const body = { schema_id: 'customer', traits: { email: 'a@example.com' }, credentials: { totp: {} } };
    const one = await fixture.admin<BatchAnswer>('POST', '/admin/identities', body);
    assert.deepEqual([one.status, one.json.error?.message], [400, 'json: unknown field "totp"']);
    assert.equal((await batch({ create: body })).json.error?.message, 'json: unknown field "totp"');
  });

  it('are 400 as a whole for more plain passwords than two hundred', async () => {
    const items = (count: number, more?: object) =>
      Array.from({ length: count }, (_, index) => item(`p${index}@example.com`, more));
    const { status, json } = await batch(...items(201, withPassword({ password: 'a-good-password' })));
    assert.deepEqual(
      [status, json.error?.reason],
      [400, 'The maximum number of identities per request that can be created with a plaintext password is 200.'],
    );
    const hashed = withPassword({ password: '', hashed_password: TAKEN[0] });
    assert.equal((await batch(...items(201, hashed))).status, 200, 'an empty password is none');
  });

  const TAKEN = [
    '$2a$10$abcdefghijklmnopqrstuv',
    '$2b$10$abc',
    '$argon2id$v=19$m=16,t=2,p=1$c2FsdA$aGFzaA',
    '$argon2i$v=19$m=16,t=2,p=1$c2FsdA$aGFzaA',
    '$scrypt$ln=16384,r=8,p=1$c2FsdA$aGFzaA',
    '$pbkdf2-sha256$i=100000,l=32$c2FsdA$aGFzaA',
    '{SSHA}aGFzaA==',
    '{SSHA512}aGFzaA==',
    '$sha256$pf=e1NBTFR9e1BBU1NXT1JEfQ==$c2FsdA==$aGFzaA',
    '$md5$CY9rzUYh03PK3k6DJie09g==',
    '$md5-crypt$$1$salt$hash',
    '$sha256-crypt$$5$salt$hash',
    '$sha512-crypt$$6$salt$hash',
    '$hmac-sha256$aGFzaA$a2V5',
    '$firescrypt$ln=14,r=8,p=1$c2FsdA==$aGFzaA==$c2Vw$a2V5',
  ];
  const REFUSED = ['$1$salt$hash', '$5$salt$hash', '$6$salt$hash', 'md5', '$md4$x', '{ssha}x', '$hmac-sha3$x', ''];
  for (const hashed_password of [...TAKEN, ...REFUSED])
    it(`${TAKEN.includes(hashed_password) ? 'take' : 'refuse'} the hash ${JSON.stringify(hashed_password)}`, async () => {
      const { status } = await batch(item('a@example.com', withPassword({ hashed_password })));
      assert.equal(status, TAKEN.includes(hashed_password) ? 200 : 400);
    });
});

describe("the sandbox's credentials", () => {
  let fixture: SandboxFixture;
  beforeEach(async () => {
    fixture = await sandboxFixture({ deployment: 'workforce', people: 60 });
  });
  afterEach(() => fixture.close());

  const create = async (credentials: object): Promise<IdentityDocument> => {
    const { status, json } = await fixture.admin<IdentityDocument>('POST', '/admin/identities', {
      schema_id: 'contractor',
      traits: { email: 'new@example.com', agency: 'A' },
      credentials,
    });
    assert.equal(status, 201);
    return json;
  };
  const everyone = async (type: string) =>
    (await fixture.admin<IdentityDocument[]>('GET', `/admin/identities?include_credential=${type}`)).json;

  it('leave an empty row of social sign-ins when the last one goes', async () => {
    const { id } = await create({
      password: { config: { password: 'a-good-password' } },
      oidc: { config: { providers: [{ provider: 'google', subject: '1' }] } },
    });
    const path = `/admin/identities/${id}`;
    assert.equal((await fixture.admin('DELETE', `${path}/credentials/oidc?identifier=google%3A1`)).status, 204);
    const { json } = await fixture.admin<IdentityDocument>('GET', path);
    assert.deepEqual(json.credentials.oidc?.identifiers, []);
    assert.equal((await fixture.admin('DELETE', `${path}/credentials/oidc`)).status, 400, 'it cannot be named');
  });

  it('show the social sign-ins that were imported without tokens', async () => {
    const providers = [{ provider: 'google', subject: '1' }];
    const { id } = await create({ oidc: { config: { providers } }, saml: { config: { providers } } });
    for (const type of ['oidc', 'saml']) {
      const { json } = await fixture.admin<IdentityDocument>(
        'GET',
        `/admin/identities/${id}?include_credential=${type}`,
      );
      assert.deepEqual(json.credentials[type]?.config, { providers: [{ ...providers[0], ...NO_TOKENS }] });
    }
    for (const { credentials } of await everyone('oidc'))
      for (const link of (credentials.oidc?.config?.providers ?? []) as object[])
        assert.deepEqual(Object.keys(link), Object.keys({ subject: '', provider: '', ...NO_TOKENS }));
  });

  it('stay where the identifier to remove is not theirs', async () => {
    const { id } = await create({
      password: { config: { password: 'a-good-password' } },
      oidc: { config: { providers: [{ provider: 'google', subject: '1' }] } },
    });
    const removed = async (identifier: string) => {
      const path = `/admin/identities/${id}/credentials/oidc${identifier}`;
      const { status, json } = await fixture.admin<{ error: { reason: string; message: string } }>('DELETE', path);
      return [status, json.error.reason, json.error.message];
    };
    assert.deepEqual(await removed('?identifier=google%3A2'), [
      404,
      'The identifier `google:2` was not found among OIDC credentials.',
      'The requested resource could not be found',
    ]);
    assert.deepEqual(await removed(''), [
      400,
      'You must provide an identifier to delete this credential.',
      'The request was malformed or contained invalid parameters',
    ]);
    await fixture.admin('DELETE', `/admin/identities/${id}/credentials/password`);
    assert.equal((await removed(''))[1], 'You cannot remove the last first factor credential.');
  });

  it('name the identity itself as the identifier of its TOTP and recovery codes', async () => {
    for (const type of ['totp', 'lookup_secret']) {
      const holders = (await everyone(type)).filter(({ credentials }) => credentials[type] !== undefined);
      assert.notEqual(holders.length, 0, type);
      for (const { id, credentials } of holders) assert.deepEqual(credentials[type]?.identifiers, [id]);
    }
  });

  it('list what the schema names for everybody, and show only in their configuration who uses it', async () => {
    const employees = (await everyone('webauthn')).filter(({ schema_id }) => schema_id === 'employee');
    for (const { credentials, traits } of employees)
      for (const type of ['code', 'webauthn']) assert.deepEqual(credentials[type]?.identifiers, [traits.email], type);
    const keys = employees.map(({ credentials }) => credentials.webauthn?.config?.credentials as unknown[] | undefined);
    assert.ok(keys.some((held) => held?.length === 1));
    assert.ok(keys.some((held) => held === undefined));
    const { id = '' } = employees.find((_, index) => keys[index]?.length === 1) ?? {};
    await fixture.admin('DELETE', `/admin/identities/${id}/credentials/webauthn`);
    const after = (await everyone('webauthn')).find((identity) => identity.id === id);
    assert.deepEqual(after?.credentials.webauthn?.config, {}, 'the row stays, the key is gone');
  });
});

describe("the sandbox's changes of external ids", () => {
  let fixture: SandboxFixture;
  before(async () => {
    fixture = await sandboxFixture();
  });
  after(() => fixture.close());

  it('take a text or null, and refuse a number', async () => {
    const body = { schema_id: 'customer', traits: { email: 'a@example.com' }, external_id: 'crm-1' };
    const { json } = await fixture.admin<IdentityDocument>('POST', '/admin/identities', body);
    const patch = (value: unknown) =>
      fixture.admin<IdentityDocument>('PATCH', `/admin/identities/${json.id}`, [
        { op: 'replace', path: '/external_id', value },
      ]);
    assert.equal((await patch(5)).status, 400);
    const byExternal = () => fixture.admin<IdentityDocument>('GET', '/admin/identities/by/external/crm-1');
    assert.equal((await byExternal()).json.id, json.id);
    assert.equal((await patch(null)).json.external_id, undefined);
    assert.equal((await byExternal()).status, 404);
  });
});
