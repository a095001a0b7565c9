import assert from 'node:assert/strict';
import type { BatchOutcome } from '../../client/api/identity-batches.ts';
import { RequestError } from '../../client/api/request-error.ts';
import { identityChecker } from '../../client/features/identities/import/check-identity.ts';
import { createImportSession, type ImportStep } from '../../client/features/identities/import/import-session.ts';
import { checkHere } from '../support/import-schemas.ts';

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
  it('goes from the choice over the review to the end, and sends nothing before it is told to', async () => {
    const { session, requests } = openPage();
    const steps: string[] = [];
    session.subscribe(() => steps.push(session.step().step));
    await session.choose(fileOf(lines(150)), people);
    assert.equal(stepAs(session.step(), 'review').inspection.total, 150);
    assert.deepEqual(requests, []);
    await session.start('beginning');
    const end = stepAs(session.step(), 'end');
    assert.equal(end.how, 'complete');
    assert.deepEqual(end.outcomes, [['created', 150]]);
    assert.deepEqual([...new Set(steps)], ['check', 'review', 'run', 'end']);
  });

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

  it('reports as existing whoever was created in a request that a reload cut off', async () => {
    const first = openPage();
    first.after = () => {
      if (first.requests.length === 2)
        throw new RequestError({ status: 500, code: 'upstream_error', message: 'cut off' });
    };
    await first.session.choose(fileOf(lines(300)), people);
    await first.session.start('beginning');

    const second = openPage(first.storage, first.taken);
    await second.session.choose(fileOf(lines(300)), people);
    await second.session.start('earlier');
    assert.deepEqual(stepAs(second.session.step(), 'end').outcomes, [
      ['created', 100],
      ['existing', 100],
      ['created', 100],
    ]);
    const report = await (await second.session.report()).text();
    assert.equal(report.match(/,already exists,/g)?.length, 100);
    assert.equal(report.match(/,created,/g)?.length, 200);
  });

  it('starts over when another file is chosen, or when it is told to', async () => {
    const first = openPage();
    first.after = () => first.session.cancel();
    await first.session.choose(fileOf(lines(300)), people);
    await first.session.start('beginning');

    const second = openPage(first.storage, first.taken);
    await second.session.choose(fileOf(lines(299)), people);
    assert.equal(stepAs(second.session.step(), 'review').earlier, undefined);
    await second.session.choose(fileOf(lines(300)), people);
    await second.session.start('beginning');
    assert.deepEqual(stepAs(second.session.step(), 'end').outcomes, [
      ['existing', 100],
      ['created', 200],
    ]);
  });

  it('goes on in the same page after it has stopped', async () => {
    const page = openPage();
    let away = true;
    page.before = () => {
      if (page.requests.length === 1 && away)
        throw new RequestError({ status: 502, code: 'bad_gateway', message: 'away' });
    };
    await page.session.choose(fileOf(lines(250)), people);
    await page.session.start('beginning');
    const stopped = stepAs(page.session.step(), 'end');
    assert.equal(stopped.how, 'stopped');
    assert.equal(stopped.failure?.message, 'away');
    away = false;
    await page.session.goOn();
    assert.deepEqual(stepAs(page.session.step(), 'end').outcomes, [['created', 250]]);
    const report = (await (await page.session.report()).text()).split('\r\n');
    assert.equal(report[250], '250,p249@b.example,created,p249@b.example,');
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

  it('runs once for a double click', async () => {
    const { session, requests } = openPage();
    await session.choose(fileOf(lines(50)), people);
    await Promise.all([session.start('beginning'), session.start('beginning')]);
    assert.deepEqual(requests, [50]);
  });

  it('checks again with another schema', async () => {
    const { session } = openPage();
    await session.choose(fileOf(lines(3)), people);
    assert.equal(stepAs(session.step(), 'review').inspection.invalid, 0);
    await session.choose(fileOf(lines(3)), identityChecker(SCHEMAS, 'thing', checkHere));
    assert.equal(stepAs(session.step(), 'review').inspection.invalid, 3);
  });

  for (const [title, file, message] of [
    ['nobody in it', fileOf(['', '']), /contains no identities/],
    ['quotation marks that are never closed', new File(['traits.email\n"x\n'], 'people.csv'), /is never closed/],
  ] as const) {
    it(`says so when a file has ${title}`, async () => {
      const { session } = openPage();
      await session.choose(file, people);
      assert.match(stepAs(session.step(), 'choose').failure?.message ?? '', message);
    });
  }

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
    stepAs(session.step(), 'map');
    await session.choose(file, people, ['traits.email', 'external_id']);
    await session.start('beginning');
    assert.deepEqual(requests, [1]);
  });

  it('keeps no more of those that were not created than it shows, however many there are', async () => {
    const page = openPage();
    for (let index = 0; index < 3_000; index += 1) page.taken.add(`p${index}@b.example`);
    await page.session.choose(fileOf([...lines(3_000), 'not json']), people);
    await page.session.start('beginning');
    const shown = page.session.notCreated();
    assert.deepEqual([shown.rows().length, shown.count()], [100, 3_001]);
    assert.equal((await (await page.session.report()).text()).match(/already exists/g)?.length, 3_000);
  });

  it('ends a check when it is cancelled, without a word', async () => {
    const { session } = openPage();
    const checking = session.choose(fileOf(lines(2_000)), people);
    session.cancel();
    await checking;
    assert.deepEqual(session.step(), { step: 'choose' });
  });

  it('imports all the same where the browser keeps nothing, and says what that means', async () => {
    const storage = browserStorage();
    storage.setItem = () => {
      throw new Error('quota');
    };
    const { session } = openPage(storage);
    const notes = new Set<string | undefined>();
    session.subscribe(() => {
      const step = session.step();
      if (step.step === 'run') notes.add(step.note);
    });
    await session.choose(fileOf(lines(150)), people);
    await session.start('beginning');
    assert.equal(stepAs(session.step(), 'end').how, 'complete');
    assert.ok([...notes].some((note) => note?.includes('cannot store the progress')));
  });
});
