import assert from 'node:assert/strict';
import type { IdentityPage, IdentityTotal } from '../../shared/identities.ts';
import type { IdentityCredentials } from '../../shared/identity-credentials.ts';
import { startMappedDashboard } from '../support/mapped-dashboard.ts';
import { ofSuite } from '../support/of-suite.ts';

const ID = '6e0b4b1c-9d1f-4a55-8d5a-5d0c5f3a7b11';

describe('GET', () => {
  const mapped = ofSuite(() =>
    startMappedDashboard({}, { now: () => Date.now() + aheadMs, monotonic: () => performance.now() + aheadMs }),
  );
  let aheadMs = 0;
  beforeEach(() => mapped.identityAdmin.reset());

  const call = (path: string) => mapped.dashboard.call(`/api/identities${path}`, { session: mapped.sessions.admin });
  /** Makes the store send this response to every request. */
  function respond(body: unknown, headers: Record<string, string> = {}, status = 200): void {
    mapped.identityAdmin.before = () => ({ status, headers, body: JSON.stringify(body) });
  }
  const requests = (): string[] => mapped.identityAdmin.requests.map(({ path }) => path);

  describe('/api/identities', () => {
    const NEXT = '00000000-0000-4000-8000-000000000001';
    const LISTED = {
      id: 'id-1',
      traits: { email: 'person-1@example.com' },
      state: 'active',
      created_at: '2026-01-01T00:00:00Z',
      updated_at: '2026-01-02T00:00:00Z',
    };
    const STORED = {
      ...LISTED,
      schema_id: 'customer',
      schema_url: 'http://store.internal:4433/schemas/x',
      credentials: { password: { config: { hashed_password: 'hash' } } },
      metadata_admin: { note: 'internal' },
    };
    const linkTo = (token: string, origin = ''): Record<string, string> => ({
      Link: `<${origin}/admin/identities?page_size=1&page_token=x>; rel="first",<${origin}/admin/identities?page_size=1&page_token=${token}>; rel="next"`,
    });
    beforeEach(() => respond([STORED]));

    async function list(query: string): Promise<{ status: number; body: IdentityPage & { error?: string } }> {
      const response = await call(query);
      return { status: response.status, body: (await response.json()) as IdentityPage & { error?: string } };
    }

    it('returns exactly five fields of each identity, whatever else the store returns', async () => {
      assert.deepEqual((await list('')).body, { identities: [LISTED], next_page_token: null, has_more: false });
      assert.deepEqual(requests(), ['/admin/identities?page_size=25']);
    });

    it('forwards a page token to the store unchanged, and returns only the next token from the store’s links', async () => {
      respond([STORED], linkTo(NEXT, 'http://elsewhere.test'));
      const { body } = await list(`?page_size=1&page_token=${encodeURIComponent('opaque+/=& token')}`);
      assert.deepEqual([body.next_page_token, body.has_more], [NEXT, true]);
      assert.doesNotMatch(JSON.stringify(body), /elsewhere/);
      assert.deepEqual(requests(), ['/admin/identities?page_size=1&page_token=opaque%2B%2F%3D%26+token']);
      respond([STORED], linkTo(NEXT));
      assert.equal((await list(`?page_token=${NEXT}`)).body.next_page_token, null, 'a cursor that leads to itself');
    });

    it('responds 400 to an invalid parameter, without a request to the store', async () => {
      for (const [query, code] of [
        ['page_size=251', 'invalid_page_size'],
        ['page_size=1&page_size=2', 'invalid_page_size'],
        ['page_token=a%0d%0ab', 'invalid_page_token'],
        ['credentials_identifier=a%00b', 'invalid_credentials_identifier'],
        ['credentials_identifier=a&credentials_identifier_prefix=a', 'bad_request'],
      ]) {
        const { status, body } = await list(`?${query}`);
        assert.deepEqual([status, body.error], [400, code], query);
      }
      assert.deepEqual(requests(), []);
    });

    it('responds 400 invalid_page_token to a page token that the store rejects', async () => {
      const message = 'The page token is invalid, do not craft your own page tokens';
      respond({ error: { code: 500, reason: message, message } }, {}, 400);
      for (const query of ['?page_token=old', '?credentials_identifier_prefix=person&page_token=old']) {
        const { status, body } = await list(query);
        assert.deepEqual([status, body.error], [400, 'invalid_page_token']);
      }
    });

    describe('with an identifier prefix', () => {
      const withIdentifier = (identifier: string) => ({
        ...STORED,
        credentials: { password: { identifiers: [identifier] } },
      });

      it('uses the experimental search of Kratos, and returns only five fields of each identity', async () => {
        respond([withIdentifier('Person-1@example.com')], linkTo(NEXT));
        const { body } = await list('?credentials_identifier_prefix=pErSon&page_size=5');
        assert.deepEqual(body, { identities: [LISTED], next_page_token: NEXT, has_more: true });
        assert.deepEqual(requests(), ['/admin/identities?page_size=5&preview_credentials_identifier_similar=pErSon']);
      });

      it('responds 400 search_not_supported if the store returns an identity that does not match', async () => {
        for (const other of [{ ...STORED, credentials: undefined }, withIdentifier('another@example.com')]) {
          respond([withIdentifier('person-1@example.com'), other]);
          const { status, body } = await list('?credentials_identifier_prefix=person');
          assert.deepEqual([status, body.error], [400, 'search_not_supported']);
        }
      });
    });

    it('records each valid request as a search, with only the action, the operator, the filter and the time', async () => {
      const before = mapped.dashboard.logged.length;
      await list('?credentials_identifier=ada%40example.com');
      await list('');
      await list('?page_size=0');
      respond([]);
      await list('?credentials_identifier_prefix=ada');
      const records = mapped.dashboard.logged
        .slice(before)
        .map((line) => (JSON.parse(line) as { audit?: Record<string, unknown> }).audit)
        .filter((audit) => audit !== undefined);
      for (const record of records)
        assert.deepEqual(Object.keys(record).sort(), ['action', 'adminId', 'searchFilter', 'timestamp']);
      assert.deepEqual(
        records.map(({ action, searchFilter }) => [action, searchFilter]),
        ['ada@example.com', null, 'prefix:ada*'].map((filter) => ['identity_search', filter]),
      );
    });
  });

  describe('/api/identities/{id}/credentials', () => {
    const AT = '2026-01-31T09:00:00.5Z';
    const credentialsPath = (id: string): string => `/${id}/credentials`;
    function respondWithCredentials(credentials: Record<string, object>): void {
      const stored = Object.entries(credentials).map(([type, members]) => [
        type,
        { type, version: 0, created_at: AT, updated_at: AT, ...members },
      ]);
      respond({ id: ID, schema_id: 'person', state: 'active', traits: {}, credentials: Object.fromEntries(stored) });
    }

    it('returns which credentials are set and which can be deleted, and no secret', async () => {
      const key = {
        id: 'SECRET',
        public_key: 'SECRET',
        authenticator: { aaguid: 'SECRET', sign_count: 4711, clone_warning: false },
      };
      respondWithCredentials({
        password: { identifiers: ['ada@example.test'], config: { hashed_password: '$2a$SECRET' } },
        oidc: { identifiers: ['google:1', 'github:2'], config: { providers: [{ initial_access_token: 'SECRET' }] } },
        totp: { identifiers: [ID], config: { totp_url: 'otpauth://totp/SECRET' } },
        webauthn: {
          identifiers: ['ada@example.test'],
          config: {
            user_handle: 'SECRET',
            credentials: [
              { ...key, display_name: 'Desk', added_at: AT },
              { ...key, display_name: ' ', added_at: '0001-01-01T00:00:00Z' },
              'SECRET',
            ],
          },
        },
        passkey: {
          identifiers: ['handle'],
          config: { credentials: [{ ...key, display_name: 'Phone', added_at: AT }] },
        },
        code: { identifiers: ['ada@example.test'], config: { addresses: ['SECRET'] } },
      });
      const text = await (await call(credentialsPath(ID))).text();
      assert.doesNotMatch(text, /SECRET|4711|config/);
      const added_at = '2026-01-31T09:00:00.500Z';
      const unnamed = { name: null, added_at: null };
      const phone = { name: 'Phone', added_at };
      const times = { created_at: added_at, updated_at: added_at };
      assert.deepEqual(JSON.parse(text), {
        credentials: [
          { type: 'code', set: true, identifiers: ['ada@example.test'], deletable: false, ...times },
          { type: 'oidc', set: true, identifiers: ['github:2', 'google:1'], deletable: true, ...times },
          { type: 'passkey', set: true, identifiers: ['handle'], deletable: false, keys: [phone], ...times },
          { type: 'password', set: true, identifiers: ['ada@example.test'], deletable: true, ...times },
          { type: 'totp', set: true, identifiers: [], deletable: true, ...times },
          {
            type: 'webauthn',
            set: true,
            identifiers: ['ada@example.test'],
            deletable: true,
            keys: [{ name: 'Desk', added_at }, unnamed, unnamed],
            ...times,
          },
        ],
      });
      assert.deepEqual(requests(), [
        `/admin/identities/${ID}?include_credential=password&include_credential=webauthn&include_credential=passkey`,
      ]);
    });

    it('reports empty credentials, such as a password without a hash, as neither set nor deletable', async () => {
      respondWithCredentials({
        password: { identifiers: ['ada@example.test'], config: {} },
        webauthn: { identifiers: ['ada@example.test'], config: { credentials: [] } },
        passkey: { identifiers: ['handle'] },
        oidc: { identifiers: [], config: { providers: [] } },
        code: { identifiers: null, created_at: '0001-01-01T00:00:00Z', updated_at: 7 },
      });
      const { credentials } = (await (await call(credentialsPath(ID))).json()) as IdentityCredentials;
      assert.equal(credentials.length, 5);
      for (const { type, set, deletable } of credentials) assert.deepEqual([set, deletable], [false, false], type);
      assert.deepEqual([credentials[0]?.created_at, credentials[0]?.updated_at], [null, null]);
    });

    it('responds 404 to an unknown or malformed id, and requests only UUIDs from the store', async () => {
      assert.equal((await call(credentialsPath(ID))).status, 404);
      mapped.identityAdmin.reset();
      for (const id of ['not-a-uuid', `${ID}x`, 'a%2fb'])
        assert.equal((await call(credentialsPath(id))).status, 404, id);
      assert.deepEqual(requests(), []);
    });
  });

  describe('/api/identities/total', () => {
    it('counts identities with one small request a minute for all callers if there is no index', async () => {
      await mapped.restart({ IDENTITY_INDEX: 'off' });
      respond([], { 'X-Total-Count': '12345' });
      const total = async (): Promise<number | null> => ((await (await call('/total')).json()) as IdentityTotal).total;
      const totals = await Promise.all(Array.from({ length: 20 }, total));
      assert.deepEqual(new Set(totals), new Set([12_345]));
      assert.deepEqual(requests(), ['/admin/identities?page=0&per_page=1']);
      aheadMs += 61_000;
      await total();
      assert.equal(requests().length, 2);
    });
  });
});
