import assert from 'node:assert/strict';
import { stateIn } from '../../client/features/identities/transfer/account-state.ts';
import {
  type CheckedIdentity,
  checkFile,
  identityChecker,
} from '../../client/features/identities/transfer/check-identity.ts';
import {
  existingPeople,
  inspectIdentities,
  type PeopleStore,
} from '../../client/features/identities/transfer/inspect-identities.ts';
import type { SourceRecord } from '../../client/features/identities/transfer/transfer-file.ts';
import { checkHere, personChecker } from '../support/import-runs.ts';

const checker = personChecker();

describe('the check before an import', () => {
  const checkOne = async (record: SourceRecord, by = checker): Promise<CheckedIdentity> =>
    (await by.check([record]))[0] ?? assert.fail();
  const check = async (members: Record<string, unknown>): Promise<string[]> =>
    (await checkOne({ line: 1, members })).problems;

  it('reports problems with traits by their path', async () => {
    for (const [traits, problem] of [
      [undefined, 'traits.email: is required'],
      [{ email: 'a@b.example', age: '3' }, 'traits.age: must be a whole number'],
      [{ email: 'nobody' }, 'traits.email: is not a valid e-mail address'],
      [{ email: 'a@b.example', role: 'x' }, 'traits.role: must be one of "reader", "writer"'],
      [{ email: 'a@b.example', 'no/t ~it': 1 }, 'traits.no/t ~it: is not in the schema'],
      [{ email: 'a@b.example', age: -1 }, 'traits.age: is less than 0'],
    ] as const)
      assert.deepEqual(await check({ traits }), [problem]);
  });

  it('reports unknown members, schemas and states, and members of the wrong type', async () => {
    const traits = { email: 'a@b.example' };
    assert.deepEqual(await check({ traits, name: 'x' }), ['name: is not a field of an identity']);
    assert.deepEqual(await check({ traits, schema_id: 'gone' }), ['schema_id: the schema “gone” does not exist']);
    assert.deepEqual(await check({ traits, state: 'asleep' }), ['state: must be active or inactive']);
    assert.deepEqual(await check({ traits, external_id: 42 }), ['external_id: must be text']);
    assert.deepEqual(await check({ traits, credentials: 'secret' }), ['credentials: must be a JSON object']);
  });

  it('accepts the states of other systems, and imports nobody as active if any column disagrees', () => {
    for (const [columns, state] of [
      [{ Status: 'ACTIVE' }, 'active'],
      [{ Status: 'Suspended' }, 'inactive'],
      [{ state: 'DEPROVISIONED' }, 'inactive'],
      [{ accountEnabled: 'True' }, 'active'],
      [{ accountEnabled: 'False' }, 'inactive'],
      [{ 'Block sign in (Yes/No) [accountEnabled] Required': 'Yes' }, 'inactive'],
      [{ 'app.blocked': 'true' }, 'inactive'],
      [{ blocked: 'false' }, 'active'],
      [{ blocked: '' }, undefined],
      [{ locked: 'true' }, 'locked'],
      [{ locked: 'no' }, 'active'],
      [{ Status: 'STAGED' }, 'STAGED'],
      [{ status: 'active', suspended: 'yes' }, 'inactive'],
      [{ status: 'whatever', suspended: 'yes' }, 'inactive'],
      [{ status: 'whatever', enabled: '1' }, 'whatever'],
    ] as const)
      assert.equal(stateIn(Object.entries(columns)), state, JSON.stringify(columns));
  });

  it('lets the operator override a problem if only the browser rejects the identity', async () => {
    const overridable = async (members: Record<string, unknown>) => (await checkOne({ line: 1, members })).overridable;
    assert.ok(await overridable({ traits: { email: 'nobody' } }));
    assert.ok(!(await overridable({ traits: { email: 'a@b.example' } })));
    assert.ok(!(await overridable({ traits: { email: 'nobody' }, state: 'asleep' })));
    assert.ok(!(await checkOne({ line: 1, problem: 'This line is not JSON.' })).overridable);
  });

  it('leaves to the store what it cannot check', async () => {
    const odd = [
      { id: 'remote', schema: { properties: { traits: { $ref: 'https://elsewhere.example/schema' } } } },
      { id: 'dialect', schema: { properties: { traits: { properties: { a: { pattern: '(?i)x' } } } } } },
    ];
    for (const { id } of odd) {
      const checker = identityChecker({ schemas: odd, complete: true }, id, checkHere);
      const { problems, notCheckedHere } = await checkOne({ line: 1, members: { traits: { a: 'y' } } }, checker);
      assert.deepEqual([problems, notCheckedHere], [[], true]);
    }
  });

  describe('of one file', () => {
    const signIn = { 'ory.sh/kratos': { credentials: { password: { identifier: true } } } };
    const member = {
      id: 'member',
      schema: { properties: { traits: { properties: { email: { type: 'string', ...signIn }, nick: {} } } } },
    };
    const members = identityChecker({ schemas: [member], complete: true }, 'member', checkHere);
    const found = async (...identities: object[]) => {
      const file = new Blob([identities.map((identity) => JSON.stringify(identity)).join('\n')]);
      const all = [];
      for await (const checked of checkFile(file, { format: 'ndjson' }, members)) all.push(checked);
      return all;
    };

    it('finds people who already exist: looks up a few, or reads the whole store for more', async () => {
      const stored = { schema_id: 'member', traits: { email: 'p3@b.example' }, external_id: 'x1' };
      const asked: string[] = [];
      const store: PeopleStore = {
        total: async () => 2,
        hasIdentifier: async (identifier) => asked.push(identifier) > 0 && identifier === stored.traits.email,
        hasExternalId: async (id) => id === stored.external_id,
        page: async (token) =>
          token === undefined
            ? { rows: [], next: 'second' }
            : { rows: [{ schema_id: 'gone', traits: { email: 'p2@b.example' } }, stored], next: undefined },
      };
      const existing = async (count: number, from = store) => {
        const lines = Array.from({ length: count }, (_, index) => ({ traits: { email: `P${index + 1}@b.example ` } }));
        const all = await found(...lines, { traits: { nick: 'p3@b.example' } }, { traits: {}, external_id: 'x1' });
        const each = (async function* () {
          yield* all;
        })();
        const lookedUp = await existingPeople(each, members.uniqueValues, from, new AbortController().signal);
        return lookedUp && [...lookedUp].sort((a, b) => a - b);
      };
      assert.deepEqual(await existing(4), [3, 6]);
      assert.deepEqual(asked, ['p1@b.example', 'p2@b.example', 'p3@b.example', 'p4@b.example']);
      assert.deepEqual(await existing(200), [3, 202]);
      assert.equal(asked.length, 4);
      assert.equal(await existing(200, { ...store, total: async () => 100_001 }), undefined);
    });

    it('reports duplicates by login identifier and external id, but not by nickname', async () => {
      const all = await found(
        { traits: { email: 'Ada@b.example', nick: 'a' }, external_id: '7' },
        { traits: { email: 'bob@b.example', nick: 'a' } },
        { traits: { email: ' ada@B.example' } },
        { traits: { email: 'carl@b.example' }, external_id: '7' },
      );
      assert.deepEqual(
        all.map(({ problems, overridable }) => [...problems, overridable]),
        [[false], [false], ['traits.email: the same as on line 1', true], ['external_id: the same as on line 1', true]],
      );
    });
  });

  it('reports a problem of many identities once, with their number and first lines, the most frequent first', async () => {
    const lines = Array.from({ length: 300 }, (_, index) =>
      JSON.stringify({
        traits: { email: index % 5 === 1 ? `p${index}` : `p${index}@b.example`, ...(index === 0 ? { age: -1 } : {}) },
        state: index % 100 === 1 ? 'asleep' : 'active',
      }),
    );
    const { mistakes, invalid } = await inspectIdentities(
      checkFile(new Blob([lines.join('\n')]), { format: 'ndjson' }, checker),
    );
    assert.equal(invalid, 61);
    assert.deepEqual(mistakes, [
      { problem: 'traits.email: is not a valid e-mail address', count: 60, lines: [2, 7, 12], who: 'p1' },
      { problem: 'state: must be active or inactive', count: 3, lines: [2, 102, 202], who: 'p1' },
      { problem: 'traits.age: is less than 0', count: 1, lines: [1], who: 'p0@b.example' },
    ]);
  });
});
