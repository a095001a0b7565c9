import assert from 'node:assert/strict';
import type { BatchOutcome } from '../../client/api/identity-batches.ts';
import { identityChecker } from '../../client/features/identities/import/check-identity.ts';
import { createImportSession, type ImportStep } from '../../client/features/identities/import/import-session.ts';
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
const people = identityChecker(SCHEMAS, 'person', checkHere);

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

describe('the import of a file on the page', () => {
  it('goes on after a reload when the same file is chosen, under whatever name', async () => {
    const first = openPage();
    first.after = () => first.requests.length === 2 && first.session.cancel();
    await first.session.choose(fileOf(lines(500)), people);
    await first.session.start('beginning');
    assert.equal(stepAs(first.session.step(), 'end').how, 'cancelled');

    const second = openPage(first.storage, first.taken);
    assert.equal(second.session.unfinished().length, 1);
    await second.session.choose(fileOf(lines(500), 'again.jsonl'), people);
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

  it('sends what only the schema speaks against when it is told to, also when it goes on', async () => {
    const page = openPage();
    const content = [...lines(150), '{"traits":{}}', 'not json', '{"traits":{}}'];
    await page.session.choose(fileOf(content), people);
    const { inspection } = stepAs(page.session.step(), 'review');
    assert.deepEqual([inspection.invalid, inspection.doubtful], [3, 2]);
    page.after = () => page.session.cancel();
    await page.session.start('beginning', true);
    assert.equal(stepAs(page.session.step(), 'end').how, 'cancelled');
    page.after = () => {};
    await page.session.goOn();
    assert.deepEqual(page.requests, [100, 52]);
    assert.deepEqual(stepAs(page.session.step(), 'end').outcomes, [
      ['created', 151],
      ['invalid', 1],
      ['existing', 1],
    ]);
  });

  it('asks what the columns mean where the first line does not say it, and keeps the answer for another check', async () => {
    const { session, requests } = openPage();
    const file = new File(['Mail;Ort\na@b.example;Ulm\n'], 'people.csv');
    await session.choose(file, people);
    assert.deepEqual(stepAs(session.step(), 'map').beginning, {
      header: ['Mail', 'Ort'],
      samples: [['a@b.example', 'Ulm']],
    });
    await session.choose(file, people, ['traits.email', undefined]);
    assert.equal(stepAs(session.step(), 'review').inspection.invalid, 0);
    await session.choose(file, identityChecker(SCHEMAS, 'thing', checkHere));
    assert.equal(stepAs(session.step(), 'review').inspection.total, 1);
    session.mapAgain()?.();
    assert.deepEqual(stepAs(session.step(), 'map').mapping, ['traits.email', undefined]);
    await session.choose(file, people, ['traits.email', 'external_id']);
    await session.start('beginning');
    assert.deepEqual(requests, [1]);
  });
});
