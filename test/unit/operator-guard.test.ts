import assert from 'node:assert/strict';
import { identityStore } from '../../server/upstream/identity-store.ts';
import { type Concerned, operatorGuard } from '../../server/upstream/operator-guard.ts';
import { ROLES } from '../../shared/capabilities.ts';
import { type StubResponse, startFaultingUpstream } from '../support/faulting-upstream.ts';
import { idOf } from '../support/index-rig.ts';
import { ofSuite } from '../support/of-suite.ts';

const [SELF, SESSION] = [idOf(1), idOf(2)];
const ID = 'abcdef00-1111-4222-8333-444444444444';
const ABSENT = { status: 404, body: '{"error":{"code":404}}' };
const json = (body: unknown): StubResponse => ({ status: 200, body: JSON.stringify(body) });

/** Every way in which an act names whom it concerns. */
const ways = (id: string): Concerned[] => [
  { identity: id },
  { identity: id.toUpperCase() },
  { session: SESSION },
  { identifier: 'ada@example.com' },
];

describe('a role that may not act on operators, whether it names an identity, a session or an identifier,', () => {
  const upstream = ofSuite(startFaultingUpstream);
  type Auth = Parameters<typeof operatorGuard>[0]['auth'];

  /** Whether acts that concern an identity are allowed, or their status. @param changed responses of the store */
  async function outcomes(
    identity: { id?: string; [member: string]: unknown },
    auth: Partial<Auth> = {},
    changed: { identity?: StubResponse; session?: StubResponse; list?: StubResponse } = {},
  ): Promise<unknown[]> {
    const stored = { id: ID, ...identity };
    upstream.before = ({ path }) => {
      if (path.startsWith(`/admin/sessions/${SESSION}?`))
        return changed.session ?? json({ identity: { id: stored.id } });
      if (path.startsWith('/admin/identities?credentials_identifier=ada%40example.com&'))
        return changed.list ?? json([{ id: idOf(3) }, stored]);
      return changed.identity ?? (path.toLowerCase() === `/admin/identities/${stored.id}` ? json(stored) : ABSENT);
    };
    const timeoutMs = changed.identity === 'silence' ? 200 : 30_000;
    const store = identityStore({ url: upstream.url, authorization: async () => undefined, timeoutMs });
    const refuseOperators = operatorGuard({
      auth: { operators: { from: 'identity' }, roleFrom: 'traits.role', operatorSchemaIds: undefined, ...auth },
      operators: auth.operators?.from === 'claims' ? undefined : store,
      identities: store,
    });
    const act = (concerned: Concerned) => refuseOperators(concerned, SELF);
    const results = await Promise.allSettled(ways(stored.id).map(act));
    return [...new Set(results.map((result) => (result.status === 'fulfilled' ? 'allowed' : result.reason.status)))];
  }
  const SCHEMAS = { operatorSchemaIds: ['staff', 'operator'] };

  it('is refused for everybody with any role, enabled or not, where OPERATOR_ROLE_FROM says that roles are', async () => {
    const roleFrom = 'metadata_admin.role';
    for (const role of ROLES) {
      const [inTraits, inMetadata] = [{ traits: { role } }, { metadata_admin: { role } }];
      assert.deepEqual(await outcomes(inTraits, SCHEMAS), [403], role);
      assert.deepEqual(await outcomes(inMetadata, { roleFrom }), [403], role);
      assert.deepEqual(await outcomes(inMetadata), ['allowed'], role);
      assert.deepEqual(await outcomes(inTraits, { roleFrom }), ['allowed'], role);
    }
  });

  it('is refused for everybody of a schema in OPERATOR_SCHEMA_IDS, and for itself', async () => {
    assert.deepEqual(await outcomes({ schema_id: 'operator' }, SCHEMAS), [403]);
    assert.deepEqual(await outcomes({ id: SELF, schema_id: 'person' }, SCHEMAS), [403]);
  });

  it('is allowed for anybody else, for nobody, and for everybody if operators come from claims', async () => {
    assert.deepEqual(await outcomes({ schema_id: 'person', traits: { role: 'customer' } }, SCHEMAS), ['allowed']);
    assert.deepEqual(await outcomes({ schema_id: 'any' }, { operatorSchemaIds: 'any' }), ['allowed']);
    const nobody = { identity: ABSENT, session: ABSENT, list: json([]) };
    const operator = { traits: { role: 'admin' } };
    assert.deepEqual(await outcomes(operator, {}, nobody), ['allowed']);
    assert.deepEqual(await outcomes(operator, { operators: { from: 'claims' } }), ['allowed']);
  });

  for (const [what, response, status] of [
    ['does not respond', 'silence', 504],
    ['refuses our key', { status: 403, body: '{}' }, 502],
    ['is a gateway without it', { status: 404, body: '404 page not found' }, 502],
    ['responds with a page', { status: 200, body: '<html>' }, 502],
    ['responds with another document', json({}), 502],
    ['responds with a list of others', json([null]), 502],
  ] satisfies [string, StubResponse, number][])
    it(`is refused with ${status} if the store ${what}`, async () => {
      assert.deepEqual(await outcomes({}, {}, { identity: response, session: response, list: response }), [status]);
    });

  it('is refused with 502 if the store does not name the identity of a session, or does not know the filter of a list', async () => {
    for (const session of [json({ identity: null }), json({ identity: { id: 'x' } })])
      assert.deepEqual(await outcomes({}, {}, { session }), ['allowed', 502]);
    const next = { Link: '</admin/identities?page_token=x>; rel="next"' };
    assert.deepEqual(await outcomes({}, {}, { list: { status: 200, headers: next, body: '[]' } }), ['allowed', 502]);
  });
});
