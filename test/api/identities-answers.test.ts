import assert from 'node:assert/strict';
import { until } from '../support/becomes.ts';
import { type Answer, identity, identityListingOfSuite, link, NEXT, page } from '../support/identity-listing.ts';

const SOMEBODY = '11111111-1111-4111-8111-111111111111';

describe('identities', () => {
  const store = identityListingOfSuite();
  const { ask } = store;

  it('are listed with exactly five fields, whatever the store adds', async () => {
    const { body } = await ask('');
    assert.deepEqual(body, {
      identities: [
        {
          id: 'id-1',
          traits: { email: 'person-1@example.com' },
          state: 'active',
          created_at: '2026-01-01T00:00:00Z',
          updated_at: '2026-01-02T00:00:00Z',
        },
      ],
      next_page_token: null,
      has_more: false,
    });
    assert.deepEqual(store.seen, ['/admin/identities?page_size=25']);
  });

  it('of an empty store are an empty page', async () => {
    store.answer = page([], { Link: '</admin/identities?page_size=25&page_token=0>; rel="first"' });
    assert.deepEqual((await ask('')).body, { identities: [], next_page_token: null, has_more: false });
  });

  const failures: [string, Answer, number, string][] = [
    [
      'answers HTML',
      (_req, res) => void res.writeHead(200, { 'Content-Type': 'text/html' }).end('<html>'),
      502,
      'bad_gateway',
    ],
    ['answers half a JSON', (_req, res) => void res.end('[{"id":"x",'), 502, 'bad_gateway'],
    ['answers an object', page({ identities: [] }), 502, 'bad_gateway'],
    ['answers a list of texts', page(['x']), 502, 'bad_gateway'],
    ['refuses the key', page({ error: { code: 401 } }, {}, 401), 502, 'bad_gateway'],
    ['refuses the question', page({ error: { reason: 'bad' } }, {}, 400), 502, 'bad_gateway'],
    ['redirects', page({}, { Location: 'http://elsewhere.test/' }, 307), 502, 'bad_gateway'],
    ['fails', page({ error: { reason: 'person-1@example.com' } }, {}, 500), 502, 'bad_gateway'],
    ['breaks off', (_req, res) => void res.destroy(), 502, 'bad_gateway'],
    ['is silent', () => {}, 504, 'gateway_timeout'],
  ];
  for (const [title, misbehave, status, code] of failures)
    it(`of a store that ${title} are ${status} ${code}, without details of the failure`, async () => {
      store.answer = misbehave;
      const failed = await ask('');
      assert.deepEqual([failed.status, failed.body.error], [status, code]);
      assert.doesNotMatch(failed.text, /example|elsewhere|127\.0\.0\.1/);
    });

  it('of a store that names a thousand members more are listed all the same', async () => {
    const extra = Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`extra_${index}`, 'x'.repeat(100)]));
    store.answer = page(Array.from({ length: 25 }, (_, index) => ({ ...identity(index), ...extra })));
    const { status, body } = await ask('');
    assert.equal(status, 200);
    assert.equal(body.identities.length, 25);
    assert.equal(Object.keys(body.identities[0] ?? {}).length, 5);
  });

  it('never redirect to an address from the store', async () => {
    store.answer = page([identity(1)], link(NEXT, 'http://elsewhere.test'));
    const { text, body } = await ask('');
    assert.equal(body.next_page_token, NEXT);
    assert.doesNotMatch(text, /elsewhere/);
  });

  it('end where the cursor leads to itself', async () => {
    store.answer = page([identity(1)], link(NEXT));
    assert.deepEqual((await ask(`?page_token=${NEXT}`)).body.next_page_token, null);
  });

  describe('total', () => {
    const total = async (): Promise<{ total: number | null; as_of: string }> =>
      (await (await store.dashboard.call('/api/identities/total', { session: store.session })).json()) as {
        total: number | null;
        as_of: string;
      };
    const deleteOne = async (): Promise<void> => {
      const path = `/api/identity-admin/admin/identities/${SOMEBODY}`;
      assert.equal((await store.dashboard.call(path, { session: store.session, method: 'DELETE' })).status, 204);
    };
    beforeEach(() => {
      store.clockOffset += 61_000;
    });

    it('is counted with one small request, once a minute for all callers', async () => {
      store.answer = page([identity(1)], { 'X-Total-Count': '12345' });
      const answers = await Promise.all(Array.from({ length: 20 }, total));
      for (const { total: count } of answers) assert.equal(count, 12_345);
      store.clockOffset += 59_000;
      assert.deepEqual(await total(), answers[0]);
      assert.deepEqual(store.seen, ['/admin/identities?page=0&per_page=1']);
      store.clockOffset += 2_000;
      await total();
      assert.equal(store.seen.length, 2);
    });

    it('is counted again once somebody was created or deleted through this service', async () => {
      store.answer = page([], { 'X-Total-Count': '3' });
      assert.equal((await total()).total, 3);
      store.answer = (req, res) =>
        req.method === 'DELETE' ? void res.writeHead(204).end() : page([], { 'X-Total-Count': '2' })(req, res);
      await deleteOne();
      assert.equal((await total()).total, 2);
    });

    it('that was being counted during a deletion is not cached, even if it is returned', async () => {
      let answerLate = (): void => {};
      store.answer = (req, res) => {
        answerLate = () => page([], { 'X-Total-Count': '3' })(req, res);
      };
      const early = [total(), total()];
      await until(() => store.seen.length === 1);
      store.answer = (_req, res) => void res.writeHead(204).end();
      await deleteOne();
      store.answer = page([], { 'X-Total-Count': '2' });
      assert.equal((await total()).total, 2, 'asked after the deletion');
      answerLate();
      for (const { total: count } of await Promise.all(early)) assert.equal(count, 3);
      assert.equal((await total()).total, 2, 'asked after the older count came in');
      assert.deepEqual(
        store.seen.map((path) => path.split('?')[0]),
        ['/admin/identities', `/admin/identities/${SOMEBODY}`, '/admin/identities'],
      );
    });

    it('is null where the store does not say', async () => {
      assert.equal((await total()).total, null);
    });

    it('of a store that fails is 502, and asked again at the next call', async () => {
      store.answer = page({}, {}, 500);
      assert.equal((await store.dashboard.call('/api/identities/total', { session: store.session })).status, 502);
      store.answer = page([], { 'X-Total-Count': '7' });
      assert.equal((await total()).total, 7);
    });
  });
});
