import assert from 'node:assert/strict';
import type { CheckedIdentity } from '../../client/features/identities/import/check-identity.ts';
import { emptyStore, hashingStore, type Identity, importing, people, person } from '../support/import-runs.ts';

describe('an import', () => {
  it('creates everybody, a hundred at a time, and tells their ids in order', async () => {
    const store = emptyStore();
    const { ended, outcomes, results } = await importing(people(250), store);
    assert.equal(ended, 'complete');
    assert.deepEqual(outcomes, [['created', 250]]);
    assert.deepEqual(
      store.requests.map(({ length }) => length),
      [100, 100, 50],
    );
    assert.equal(results[249]?.id, 'id of p249@b.example');
  });

  it('sends nobody with problems, and keeps the order of the outcomes', async () => {
    const store = emptyStore();
    store.emails.add('p3@b.example');
    const identities = people(5);
    identities[1] = { ...person(1), problems: ['traits.email: is not a valid e-mail address'] };
    const { outcomes, results } = await importing(identities, store);
    assert.deepEqual(outcomes, [
      ['created', 1],
      ['invalid', 1],
      ['created', 1],
      ['existing', 1],
      ['created', 1],
    ]);
    assert.equal(results[1]?.reason, 'traits.email: is not a valid e-mail address');
    assert.equal(store.requests[0]?.length, 4);
  });

  it('asks for nothing when nobody is valid', async () => {
    const store = emptyStore();
    const identities = people(2_500).map((checked) => ({ ...checked, problems: ['no'] }));
    const { outcomes } = await importing(identities, store);
    assert.deepEqual(outcomes, [['invalid', 2_500]]);
    assert.equal(store.requests.length, 0);
  });

  describe('with passwords in plain text, which the store hashes before it answers', () => {
    const withPassword = (config: object) => (checked: CheckedIdentity) => ({
      ...checked,
      identity: { ...checked.identity, credentials: { password: { config } } },
    });
    const plain = (count: number) => people(count).map(withPassword({ password: 'secret' }));

    it('sends few at first, and more as long as the store is quick', async () => {
      const store = hashingStore(1);
      await importing(plain(300), store);
      assert.deepEqual(store.sizes(), [5, 10, 20, 40, 80, 100, 45]);
    });

    it('keeps each request within half of the time that the store has', async () => {
      const store = hashingStore(250);
      await importing(plain(40), store);
      assert.deepEqual(store.sizes(), [5, 10, 10, 10, 5]);
    });

    it('sends one at a time where five do not make it', async () => {
      const store = hashingStore(1_250);
      const { ended, outcomes } = await importing(plain(12), store);
      assert.equal(ended, 'complete');
      assert.deepEqual(outcomes, [['created', 12]]);
      assert.ok(
        store.sizes().every((size) => size <= 3),
        String(store.sizes()),
      );
    });

    it('sends a hundred hashed ones at once', async () => {
      const store = hashingStore(1);
      await importing(people(150).map(withPassword({ hashed_password: '$2a$' })), store);
      assert.deepEqual(store.sizes(), [100, 50]);
    });
  });

  it('keeps a request below a million characters', async () => {
    const store = emptyStore();
    const identities = people(10).map((checked) => ({
      ...checked,
      identity: { ...checked.identity, metadata_admin: 'x'.repeat(400_000) },
    }));
    await importing(identities, store);
    assert.deepEqual(
      store.requests.map(({ length }) => length),
      [2, 2, 2, 2, 2],
    );
  });

  it('ends after the request under way when it is cancelled', async () => {
    const store = emptyStore();
    const cancel = new AbortController();
    const { ended, outcomes } = await importing(people(500), {
      create: async (identities) => {
        if (store.requests.length === 1) cancel.abort();
        return store.create(identities);
      },
      signal: cancel.signal,
    });
    assert.equal(ended, 'cancelled');
    assert.deepEqual(outcomes, [['created', 200]]);
  });

  it('is complete when it is cancelled during the last request', async () => {
    const store = emptyStore();
    const cancel = new AbortController();
    const create = async (identities: readonly Identity[]) => {
      cancel.abort();
      return store.create(identities);
    };
    assert.equal((await importing(people(50), { create, signal: cancel.signal })).ended, 'complete');
  });
});
