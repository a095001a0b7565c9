import assert from 'node:assert/strict';
import type { BatchOutcome } from '../../client/api/identity-batches.ts';
import { guessColumns } from '../../client/features/identities/transfer/guess-columns.ts';
import { createImportSession, type ImportStep } from '../../client/features/identities/transfer/import-session.ts';
import { traitColumns } from '../../client/features/identities/transfer/portable-identity.ts';
import { checkHere } from '../support/import-runs.ts';

const SCHEMAS = {
  complete: true,
  schemas: [
    {
      id: 'person',
      schema: { properties: { traits: { properties: { email: { type: 'string' } }, required: ['email'] } } },
    },
    { id: 'thing', schema: { properties: { traits: { required: ['serial'] } } } },
  ],
};

const lines = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => JSON.stringify({ traits: { email: `p${index}@b.example` } }));
const fileOf = (content: readonly string[], name = 'people.ndjson'): File => new File([content.join('\n')], name);

function browserStorage() {
  const items = new Map<string, string>();
  return {
    items,
    getItem: (key: string) => items.get(key) ?? null,
    setItem: (key: string, value: string) => void items.set(key, value),
    removeItem: (key: string) => void items.delete(key),
  };
}

/** The import page, with a store behind it. */
function openPage(storage = browserStorage(), taken = new Set<string>()) {
  const requests: number[] = [];
  const page = {
    storage,
    taken,
    requests,
    before: (): void => {},
    after: (): void => {},
    session: createImportSession({
      known: SCHEMAS,
      schemaId: 'person',
      traitsCheck: checkHere,
      storage,
      now: () => 0,
      wait: async () => {},
      async create(identities) {
        page.before();
        requests.push(identities.length);
        const outcomes = identities.map((identity): BatchOutcome => {
          const { email } = identity.traits as { email: string };
          if (taken.has(email)) return { outcome: 'existing', reason: 'conflict' };
          taken.add(email);
          return { outcome: 'created', id: email };
        });
        page.after();
        return outcomes;
      },
    }),
  };
  return page;
}

function stepAs<T extends ImportStep['step']>(step: ImportStep, name: T): ImportStep & { step: T } {
  assert.equal(step.step, name);
  return step as ImportStep & { step: T };
}

describe('importing a file', () => {
  it('continues after a reload if the same file is chosen, under any name', async () => {
    const first = openPage();
    first.after = () => first.requests.length === 2 && first.session.cancel();
    await first.session.choose(fileOf(lines(500)));
    await first.session.start('beginning');
    assert.equal(stepAs(first.session.step(), 'end').how, 'cancelled');

    const second = openPage(first.storage, first.taken);
    assert.equal(second.session.unfinished().length, 1);
    await second.session.choose(fileOf(lines(500), 'again.jsonl'));
    assert.deepEqual(stepAs(second.session.step(), 'review').earlier?.outcomes, [['created', 200]]);
    await second.session.start('earlier');
    assert.deepEqual(stepAs(second.session.step(), 'end').outcomes, [['created', 500]]);
    assert.equal(
      second.requests.reduce((sum, count) => sum + count),
      300,
    );
    assert.deepEqual(second.session.unfinished(), []);
    assert.equal(first.storage.items.size, 0);
  });

  it('sends what only the schema rejects on request, also after a pause', async () => {
    const page = openPage();
    const content = [...lines(150), '{"traits":{}}', 'not json', '{"traits":{}}'];
    await page.session.choose(fileOf(content));
    const { inspection } = stepAs(page.session.step(), 'review');
    assert.deepEqual([inspection.invalid, inspection.overridable], [3, 2]);
    page.after = () => page.session.cancel();
    await page.session.start('beginning', true);
    assert.equal(stepAs(page.session.step(), 'end').how, 'cancelled');
    page.after = () => {};
    await page.session.resume();
    assert.deepEqual(page.requests, [100, 52]);
    assert.deepEqual(stepAs(page.session.step(), 'end').outcomes, [
      ['created', 151],
      ['invalid', 1],
      ['existing', 1],
    ]);
  });

  it('asks what the columns mean if the first line does not say so, once for all checks of the file', async () => {
    const { session, requests } = openPage();
    const file = new File(['Mail;Ort\na@b.example;Ulm\n'], 'people.csv');
    await session.choose(file);
    const { header, samples, names } = stepAs(session.step(), 'map').beginning;
    assert.deepEqual([header, samples, names], [['Mail', 'Ort'], [['a@b.example', 'Ulm']], 1]);
    await session.change({ mapping: ['traits.email', undefined] });
    assert.equal(stepAs(session.step(), 'review').inspection.invalid, 0);
    await session.selectSchema('thing');
    assert.equal(stepAs(session.step(), 'review').inspection.total, 1);
    session.mapAgain()?.();
    assert.equal(session.step().step, 'map');
    assert.deepEqual(session.options().mapping, ['traits.email', undefined]);
    await session.selectSchema('person');
    assert.equal(session.step().step, 'map');
    await session.change({ mapping: ['traits.email', 'external_id'] });
    await session.start('beginning');
    assert.deepEqual(requests, [1]);
  });

  it('finds the column names below other lines, or none, unless the operator says where they are', async () => {
    const { session } = openPage();
    const beginning = async (content: string, names?: number | 'nowhere') => {
      await session.choose(new File([content], 'people.csv'));
      if (names !== undefined) await session.change({ names });
      const found = stepAs(session.step(), 'map').beginning;
      return [found.names, found.header, found.samples.length];
    };
    assert.deepEqual(await beginning('Staff;;\n\nMail;Ort;Tel\na@b.example;Ulm;\n'), [3, ['Mail', 'Ort', 'Tel'], 1]);
    assert.deepEqual(await beginning('version:v1.0\nName,Mail\nAda,a@b.example\n'), [2, ['Name', 'Mail'], 1]);
    for (const data of ['a@b.example', '+49 30 123456', '2026-01-31', 'd41d8cd98f00b204e9800998ecf8427e'])
      assert.deepEqual(await beginning(`Ada,${data}\nBob,\n`), ['nowhere', ['', ''], 2], data);
    assert.deepEqual(await beginning('Ada,x\nBob,y\n', 'nowhere'), ['nowhere', ['', ''], 2]);
    assert.deepEqual(await beginning('Ada,x\nName,Ort\nBob,y\n', 2), [2, ['Name', 'Ort'], 1]);
  });

  it('asks the same about NDJSON from another system, whose lines omit members', async () => {
    const { session, taken } = openPage();
    const hash = '$2b$10$abcdefghijklmnopqrstuuWxyz0123456789ABCDEFGHIJKLMNOPQ';
    for (const [columns, ...records] of [
      [
        ['user_id', 'email', 'user_metadata', 'identities', 'blocked'],
        { user_id: 'auth0|1', email: 'a@b.example', user_metadata: { plan: 'gold' }, identities: [{}] },
        { user_id: 'auth0|2', email: 'b@b.example', blocked: true },
        { user_id: 'auth0|3', email: 'c@b.example', blocked: false },
      ],
      [['_id.$oid', 'email', 'passwordHash'], { _id: { $oid: '5dea' }, email: 'd@b.example', passwordHash: hash }],
      [
        ['externalId', 'profile.email', 'credentials.password.hash.value', 'credentials.provider.type'],
        {
          externalId: '5dea',
          profile: { email: 'd@b.example' },
          credentials: { password: { hash: { value: hash } }, provider: { type: 'OKTA' } },
        },
      ],
    ] as const) {
      const file = new File([records.map((record) => JSON.stringify(record)).join('\n')], 'users.json');
      await session.choose(file);
      const { beginning } = stepAs(session.step(), 'map');
      assert.deepEqual([beginning.header, beginning.names], [columns, undefined]);
      const mapping = guessColumns(beginning, traitColumns(SCHEMAS.schemas[0]?.schema));
      await session.change({ mapping });
      const { inspection } = stepAs(session.step(), 'review');
      const rest = columns.length === 5 ? [undefined, 'inactive', 'active'] : [undefined];
      assert.deepEqual(
        inspection.first.map(({ identity }) => identity.state),
        rest,
      );
      const [first] = inspection.first;
      assert.deepEqual(
        first?.identity,
        columns.length === 5
          ? {
              schema_id: 'person',
              external_id: 'auth0|1',
              traits: { email: 'a@b.example' },
              metadata_public: { plan: 'gold' },
            }
          : {
              schema_id: 'person',
              external_id: '5dea',
              traits: { email: 'd@b.example' },
              credentials: { password: { config: { hashed_password: hash } } },
            },
      );
      await session.start('beginning');
    }
    assert.deepEqual([...taken], ['a@b.example', 'b@b.example', 'c@b.example', 'd@b.example']);
  });

  it('skips people whose state is an unknown word until the operator says what it means', async () => {
    const { session, requests } = openPage();
    const states = ['ACTIVE', 'suspended', 'On leave', 'on leave', 'DEPROVISIONED'];
    const file = new File(
      ['traits.email,state\n', ...states.map((state, index) => `p${index}@b.example,${state}\n`)],
      'a.csv',
    );
    await session.choose(file);
    const { inspection } = stepAs(session.step(), 'review');
    assert.deepEqual([inspection.unknownStates, inspection.invalid], [['On leave', 'on leave'], 2]);
    await session.change({ states: new Map([['onleave', 'inactive']] as const) });
    assert.deepEqual(
      stepAs(session.step(), 'review').inspection.first.map(({ identity }) => identity.state),
      ['active', 'inactive', 'inactive', 'inactive', 'inactive'],
    );
    await session.start('beginning');
    assert.deepEqual(requests, [5]);
  });
});
