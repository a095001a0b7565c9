import assert from 'node:assert/strict';
import type { BatchOutcome } from '../../client/api/identity-batches.ts';
import { ConnectionError, RequestError } from '../../client/api/request-error.ts';
import type { CheckedIdentity } from '../../client/features/identities/transfer/check-identity.ts';
import {
  countOutcomes,
  type OutcomeRuns,
  withOutcomes,
} from '../../client/features/identities/transfer/import-outcomes.ts';
import { type ImportResult, type ImportRun, runImport } from '../../client/features/identities/transfer/import-run.ts';

type Identity = Record<string, unknown>;

const person = (index: number): CheckedIdentity => ({
  line: index + 2,
  identity: { schema_id: 'person', traits: { email: `p${index}@b.example` } },
  problems: [],
  doubtful: false,
  leftOut: [],
});
const people = (count: number): CheckedIdentity[] => Array.from({ length: count }, (_, index) => person(index));
const emailOf = (identity: Identity): string => String((identity.traits as { email: string }).email);

async function* each<T>(items: readonly T[]): AsyncGenerator<T> {
  yield* items;
}

const answer = (status: number): RequestError =>
  new RequestError({ status, code: 'upstream_error', message: `status ${status}` });

/** A store that keeps every address once, as the identity service does. */
function emptyStore() {
  const emails = new Set<string>();
  const requests: Identity[][] = [];
  return {
    emails,
    requests,
    async create(identities: readonly Identity[]): Promise<BatchOutcome[]> {
      requests.push([...identities]);
      return identities.map((identity) => {
        const email = emailOf(identity);
        if (emails.has(email)) return { outcome: 'existing', reason: 'conflict' };
        emails.add(email);
        return { outcome: 'created', id: `id of ${email}` };
      });
    },
  };
}

/** Runs and keeps what the page keeps. */
async function importing(
  identities: readonly CheckedIdentity[],
  run: Partial<ImportRun> & Pick<ImportRun, 'create'>,
  before: OutcomeRuns = [],
) {
  let outcomes = before;
  const results: ImportResult[] = [];
  const ended = await runImport({
    identities: each(identities),
    done: countOutcomes(before).all,
    onResults(next) {
      results.push(...next);
      outcomes = withOutcomes(
        outcomes,
        next.map(({ outcome }) => outcome),
      );
    },
    wait: async () => {},
    ...run,
  }).catch((error: Error) => error);
  return { ended, outcomes, results };
}

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

    /** A store that takes so long for each, and gives up after five seconds. */
    function hashing(millisecondsEach: number) {
      const store = emptyStore();
      let time = 0;
      return {
        ...store,
        clock: () => time,
        sizes: () => store.requests.map(({ length }) => length),
        async create(identities: readonly Identity[]) {
          const needed = identities.length * millisecondsEach;
          time += Math.min(needed, 5_000);
          if (needed > 5_000) throw answer(504);
          return store.create(identities);
        },
      };
    }

    it('sends few at first, and more as long as the store is quick', async () => {
      const store = hashing(1);
      await importing(plain(300), store);
      assert.deepEqual(store.sizes(), [5, 10, 20, 40, 80, 100, 45]);
    });

    it('keeps each request within half of the time that the store has', async () => {
      const store = hashing(250);
      await importing(plain(40), store);
      assert.deepEqual(store.sizes(), [5, 10, 10, 10, 5]);
    });

    it('sends one at a time where five do not make it', async () => {
      const store = hashing(1_250);
      const { ended, outcomes } = await importing(plain(12), store);
      assert.equal(ended, 'complete');
      assert.deepEqual(outcomes, [['created', 12]]);
      assert.ok(
        store.sizes().every((size) => size <= 3),
        String(store.sizes()),
      );
    });

    it('sends a hundred hashed ones at once', async () => {
      const store = hashing(1);
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

  for (const failure of [answer(504), new ConnectionError(true, undefined)]) {
    it(`goes on with half as many after: ${failure.message}`, async () => {
      const store = emptyStore();
      const waits: number[] = [];
      const progress: number[] = [];
      const { ended, outcomes } = await importing(people(100), {
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

    it(`waits where it stands alone and ends after: ${failure.message}`, async () => {
      const waits: number[] = [];
      const { ended, outcomes } = await importing(people(1), {
        create: async () => {
          throw failure;
        },
        onWait: ({ milliseconds }) => void waits.push(milliseconds),
      });
      assert.equal(ended, failure);
      assert.deepEqual(outcomes, []);
      assert.deepEqual(waits, [1_000, 2_000, 4_000, 8_000]);
    });
  }

  it('takes one that the store refuses all others with as already there, and goes on', async () => {
    // Kratos refuses a batch in which exactly one identity is valid and that one conflicts.
    const store = emptyStore();
    store.emails.add('p6@b.example');
    const create = async (identities: readonly Identity[]): Promise<BatchOutcome[]> => {
      const valid = identities.filter((identity) => emailOf(identity) !== 'p2@b.example');
      if (valid.length === 1 && store.emails.has(emailOf(valid[0] as Identity))) throw answer(409);
      const created = (await store.create(valid)).values();
      return identities.map((identity) =>
        valid.includes(identity) ? (created.next().value as BatchOutcome) : { outcome: 'failed', reason: 'invalid' },
      );
    };
    const alone = await importing([person(6)], { create });
    assert.equal(alone.ended, 'complete');
    assert.deepEqual(alone.outcomes, [['existing', 1]]);
    const two = await importing([person(2), person(6), person(2)], { create });
    assert.deepEqual(two.outcomes, [
      ['failed', 1],
      ['existing', 1],
      ['failed', 1],
    ]);
  });

  for (const failure of [answer(429), answer(502), answer(503), new ConnectionError(false, undefined)]) {
    it(`tries a chunk again after: ${failure.message}`, async () => {
      const store = emptyStore();
      let tried = 0;
      const waits: number[] = [];
      const { ended, outcomes } = await importing(people(100), {
        create: async (identities) => {
          tried += 1;
          // The first one got through all the same, and only its answer was lost.
          const created = await store.create(identities);
          if (tried < 3) throw failure;
          return created;
        },
        onWait: ({ milliseconds }) => void waits.push(milliseconds),
      });
      assert.equal(ended, 'complete');
      assert.deepEqual(waits, [1_000, 2_000]);
      assert.deepEqual(outcomes, [['existing', 100]]);
    });
  }

  it('stops after five failures, keeps what was done, and goes on from there', async () => {
    const store = emptyStore();
    let away = false;
    let tried = 0;
    const create = async (identities: readonly Identity[]) => {
      if (store.requests.length === 1) away = true;
      if (away) {
        tried += 1;
        throw answer(502);
      }
      return store.create(identities);
    };
    const first = await importing(people(300), { create });
    assert.equal((first.ended as Error).message, 'status 502');
    assert.equal(tried, 5);
    assert.deepEqual(first.outcomes, [['created', 100]]);
    const second = await importing(people(300), store, first.outcomes);
    assert.equal(second.ended, 'complete');
    assert.deepEqual(second.outcomes, [['created', 300]]);
    assert.equal(store.requests.flat().length, 300);
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

  it('counts those of a chunk whose answer never came as already there', async () => {
    const store = emptyStore();
    const cancel = new AbortController();
    const first = await importing(people(300), {
      create: async (identities) => {
        const created = await store.create(identities);
        if (store.requests.length < 2) return created;
        cancel.abort();
        throw new ConnectionError(false, undefined);
      },
      signal: cancel.signal,
    });
    assert.equal(first.ended, 'cancelled');
    const second = await importing(people(300), store, first.outcomes);
    assert.deepEqual(second.outcomes, [
      ['created', 100],
      ['existing', 100],
      ['created', 100],
    ]);
    assert.equal(store.emails.size, 300);
  });

  for (const status of [400, 413, 422]) {
    it(`finds the one identity for which the store refuses all with ${status}`, async () => {
      const store = emptyStore();
      const { ended, results } = await importing(people(100), {
        create: async (identities) => {
          if (identities.some((identity) => emailOf(identity) === 'p61@b.example')) throw answer(status);
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

  for (const status of [401, 403, 404, 500]) {
    it(`stops at once after ${status}`, async () => {
      let tried = 0;
      const create = async () => {
        tried += 1;
        throw answer(status);
      };
      const { ended, outcomes } = await importing(people(300), { create });
      assert.equal((ended as Error).message, `status ${status}`);
      assert.equal(tried, 1);
      assert.deepEqual(outcomes, []);
    });
  }
});
