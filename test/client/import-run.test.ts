import assert from 'node:assert/strict';
import { ConnectionError } from '../../client/api/request.ts';
import type { BatchOutcome } from '../../client/features/import-export/import-run.ts';
import {
  checkedIdentities,
  checkedIdentity,
  emailOf,
  emptyStore,
  errorResponse,
  hashingStore,
  type Identity,
  runImportOf,
} from '../support/import-runs.ts';

describe('an import', () => {
  it('creates all identities, a hundred per request, and reports their IDs in order', async () => {
    const store = emptyStore();
    const { ended, outcomes, results } = await runImportOf(checkedIdentities(250), store);
    assert.equal(ended, 'complete');
    assert.deepEqual(outcomes, [['created', 250]]);
    const lengths = store.requests.map(({ length }) => length);
    assert.deepEqual(lengths, [100, 100, 50]);
    assert.equal(results[249]?.id, 'id of p249@b.example');
  });

  it('skips identities with problems, and reports the outcomes in the order of the file', async () => {
    const store = emptyStore();
    store.emails.add('p3@b.example');
    const identities = checkedIdentities(5);
    identities[1] = { ...checkedIdentity(1), problems: ['traits.email: is not a valid e-mail address'] };
    const { outcomes, results } = await runImportOf(identities, store);
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

  it('reports the reason of the store with the names of columns', async () => {
    const email = 'I[#/traits/e%20mail] S[#/properties/traits/properties/e%20mail/format] "x" is not valid "email"';
    const reason = `I[#] S[#] validation failed\n  I[#/traits] S[#/required] missing properties: "role"\n  ${email}\n  ${email}`;
    const create = async (): Promise<BatchOutcome[]> => [{ outcome: 'failed', reason }];
    const { results } = await runImportOf([checkedIdentity(1)], { create });
    assert.equal(results[0]?.reason, 'traits.role: This is required.; traits.e mail: "x" is not valid "email"');
  });

  it('sends few passwords in plain text per request at first, and more while the store hashes them quickly', async () => {
    const store = hashingStore();
    const credentials = { password: { config: { password: 'secret' } } };
    await runImportOf(
      checkedIdentities(300).map((checked) => ({ ...checked, identity: { ...checked.identity, credentials } })),
      store,
    );
    assert.deepEqual(store.sizes(), [5, 10, 20, 40, 80, 100, 45]);
  });

  it('keeps each request below a million characters', async () => {
    const store = emptyStore();
    const identities = checkedIdentities(10).map((checked) => ({
      ...checked,
      identity: { ...checked.identity, metadata_admin: 'x'.repeat(400_000) },
    }));
    await runImportOf(identities, store);
    const lengths = store.requests.map(({ length }) => length);
    assert.deepEqual(lengths, [2, 2, 2, 2, 2]);
  });
});

describe('an import into a store that fails', () => {
  for (const failure of [errorResponse(504), new ConnectionError(true, undefined)]) {
    it(`sends half as many identities per request after the failure “${failure.message}”`, async () => {
      const store = emptyStore();
      const waits: number[] = [];
      const progress: number[] = [];
      const { ended, outcomes } = await runImportOf(checkedIdentities(100), {
        create: async (identities) => {
          if (identities.length > 30) throw failure;
          progress.push(identities.length);
          return store.create(identities);
        },
        onWait: ({ milliseconds }) => void waits.push(milliseconds),
      });
      assert.equal(ended, 'complete');
      assert.deepEqual(outcomes, [['created', 100]]);
      assert.deepEqual(progress, [25, 25, 25, 25]);
      assert.deepEqual(waits, []);
    });
  }

  it('reports an identity as existing, and continues, if its conflict makes the store reject the complete request', async () => {
    // Kratos rejects a batch in which exactly one identity is valid and that one conflicts.
    const store = emptyStore();
    store.emails.add('p6@b.example');
    const create = async (identities: readonly Identity[]): Promise<BatchOutcome[]> => {
      const valid = identities.filter((identity) => emailOf(identity) !== 'p2@b.example');
      if (valid.length === 1 && store.emails.has(emailOf(valid[0] as Identity))) throw errorResponse(409);
      const created = (await store.create(valid)).values();
      return identities.map((identity) =>
        valid.includes(identity) ? (created.next().value as BatchOutcome) : { outcome: 'failed', reason: 'invalid' },
      );
    };
    const single = await runImportOf([checkedIdentity(6)], { create });
    assert.equal(single.ended, 'complete');
    assert.deepEqual(single.outcomes, [['existing', 1]]);
    const batch = await runImportOf([checkedIdentity(2), checkedIdentity(6), checkedIdentity(2)], { create });
    assert.deepEqual(batch.outcomes, [
      ['failed', 1],
      ['existing', 1],
      ['failed', 1],
    ]);
  });

  for (const failure of [errorResponse(429), errorResponse(503), new ConnectionError(false, undefined)]) {
    it(`repeats a request after the failure “${failure.message}”`, async () => {
      const store = emptyStore();
      let attempts = 0;
      const waits: number[] = [];
      const { ended, outcomes } = await runImportOf(checkedIdentities(100), {
        create: async (identities) => {
          attempts += 1;
          // The store carries out each request, but the first two responses are failures.
          const created = await store.create(identities);
          if (attempts < 3) throw failure;
          return created;
        },
        onWait: ({ milliseconds }) => void waits.push(milliseconds),
      });
      assert.equal(ended, 'complete');
      assert.deepEqual(waits, [1_000, 2_000]);
      assert.deepEqual(outcomes, [['existing', 100]]);
    });
  }

  it('stops after five failures of a request, and continues with that request in the next run', async () => {
    const store = emptyStore();
    let isDown = false;
    let attempts = 0;
    const create = async (identities: readonly Identity[]) => {
      if (store.requests.length === 1) isDown = true;
      if (isDown) {
        attempts += 1;
        throw errorResponse(502);
      }
      return store.create(identities);
    };
    const first = await runImportOf(checkedIdentities(300), { create });
    assert.equal((first.ended as Error).message, 'status 502');
    assert.equal(attempts, 5);
    assert.deepEqual(first.outcomes, [['created', 100]]);
    const second = await runImportOf(checkedIdentities(300), store, first.outcomes);
    assert.equal(second.ended, 'complete');
    assert.deepEqual(second.outcomes, [['created', 300]]);
    assert.equal(store.requests.flat().length, 300);
  });

  for (const status of [400, 413]) {
    it(`finds the one identity for which the store rejects a request with ${status}`, async () => {
      const store = emptyStore();
      const { ended, results } = await runImportOf(checkedIdentities(100), {
        create: async (identities) => {
          if (identities.some((identity) => emailOf(identity) === 'p61@b.example')) throw errorResponse(status);
          return store.create(identities);
        },
      });
      assert.equal(ended, 'complete');
      assert.deepEqual(results[61], {
        line: 63,
        who: 'p61@b.example',
        outcome: 'failed',
        reason: `status ${status}`,
      });
      assert.equal(results.filter(({ outcome }) => outcome === 'created').length, 99);
      assert.equal(results[62]?.id, 'id of p62@b.example');
    });
  }

  for (const status of [401, 500]) {
    it(`stops immediately after status ${status}`, async () => {
      let attempts = 0;
      const create = async () => {
        attempts += 1;
        throw errorResponse(status);
      };
      const { ended, outcomes } = await runImportOf(checkedIdentities(300), { create });
      assert.equal((ended as Error).message, `status ${status}`);
      assert.equal(attempts, 1);
      assert.deepEqual(outcomes, []);
    });
  }
});
