import assert from 'node:assert/strict';
import { within } from '@testing-library/dom';
import type { BatchOutcome } from '../../client/features/import-export/import-run.ts';
import { createImportSession, type ImportStep } from '../../client/features/import-export/import-session.ts';
import { type App, appOfSuite } from '../support/app-in-dom.tsx';
import { until } from '../support/eventually.ts';
import {
  chooseFileToImport,
  fieldValue,
  findDialog,
  savedFileOf,
  summaryCount,
  waitForText,
} from '../support/identity-dom.ts';
import { createIdentity } from '../support/identity-pages.ts';
import { browserStorage, checkWithoutWorker, importOf } from '../support/import-runs.ts';
import { readIdentities } from '../support/sandbox-fixture.ts';

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

/** Opens a session with a store in memory. */
function openSession(storage = browserStorage(), taken = new Set<string>()) {
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
      traitsCheck: checkWithoutWorker,
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

describe('an import session', () => {
  it('continues after a reload if the same file is chosen, even under another name', async () => {
    const first = openSession();
    first.after = () => first.requests.length === 2 && first.session.cancel();
    await first.session.choose(fileOf(lines(500)));
    await first.session.start('beginning');
    assert.equal(stepAs(first.session.step(), 'end').how, 'cancelled');

    const second = openSession(first.storage, first.taken);
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

  it('sends identities that violate the schema if the operator requests it, even after a pause', async () => {
    const page = openSession();
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

  it('requires a column mapping for unknown column names, but only once for each file', async () => {
    const { session, requests } = openSession();
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

  it('detects the line with the column names, or that there is none, unless the operator selects a line', async () => {
    const { session } = openSession();
    const beginning = async (content: string, selected?: number | 'nowhere') => {
      await session.choose(new File([content], 'people.csv'));
      if (selected !== undefined) await session.change({ names: selected });
      const { names, header, samples } = stepAs(session.step(), 'map').beginning;
      return [names, header, samples.length];
    };
    assert.deepEqual(await beginning('Staff;;\n\nMail;Ort;Tel\na@b.example;Ulm;\n'), [3, ['Mail', 'Ort', 'Tel'], 1]);
    assert.deepEqual(await beginning('version:v1.0\nName,Mail\nAda,a@b.example\n'), [2, ['Name', 'Mail'], 1]);
    for (const data of ['a@b.example', '+49 30 123456', '2026-01-31', 'd41d8cd98f00b204e9800998ecf8427e'])
      assert.deepEqual(await beginning(`Ada,${data}\nBob,\n`), ['nowhere', ['', ''], 2], data);
    assert.deepEqual(await beginning('Ada,x\nBob,y\n', 'nowhere'), ['nowhere', ['', ''], 2]);
    assert.deepEqual(await beginning('Ada,x\nName,Ort\nBob,y\n', 2), [2, ['Name', 'Ort'], 1]);
  });

  it('requires a column mapping for NDJSON from another system, even if lines omit members', async () => {
    const hash = '$2b$10$abcdefghijklmnopqrstuuWxyz0123456789ABCDEFGHIJKLMNOPQ';
    const [email, traits] = ['a@b.example', { email: 'a@b.example' }];
    const withHash = { external_id: '5', traits, credentials: { password: { config: { hashed_password: hash } } } };
    const okta = { password: { hash: { value: hash } }, provider: { type: 'OKTA' } };
    for (const [columns, records, identities] of [
      [
        ['user_id', 'email', 'user_metadata', 'identities', 'blocked'],
        [
          { user_id: 'auth0|1', email, user_metadata: { plan: 'gold' }, identities: [{}] },
          { user_id: 'auth0|2', email, blocked: true },
          { user_id: 'auth0|3', email, blocked: false },
        ],
        [
          { external_id: 'auth0|1', traits, metadata_public: { plan: 'gold' } },
          { external_id: 'auth0|2', traits, state: 'inactive' },
          { external_id: 'auth0|3', traits, state: 'active' },
        ],
      ],
      [['_id.$oid', 'email', 'passwordHash'], [{ _id: { $oid: '5' }, email, passwordHash: hash }], [withHash]],
      [
        ['externalId', 'profile.email', 'credentials.password.hash.value', 'credentials.provider.type'],
        [{ externalId: '5', profile: { email }, credentials: okta }],
        [withHash],
      ],
    ] as const) {
      const content = records.map((record) => JSON.stringify(record)).join('\n');
      const { header, people } = await importOf(content, 'users.json', SCHEMAS.schemas[0] ?? assert.fail());
      assert.deepEqual(header, columns);
      assert.deepEqual(
        people.map(({ identity }) => identity),
        identities.map((identity) => ({ schema_id: 'person', ...identity })),
      );
    }
  });

  it('skips people with an unknown state until the operator maps it', async () => {
    const { session, requests } = openSession();
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

const SCHEMA_FIELD = 'Default schema';
const KEY = Buffer.alloc(32).toString('base64');

describe('the import page', () => {
  const suite = appOfSuite();
  const importing = (work: (app: App) => Promise<void>): Promise<void> =>
    suite.open('/identities/import', { heading: 'Import identities' }, work);
  const inStore = async (email: string) =>
    (await readIdentities(suite.upstream.target)).find(({ traits }) => (traits as { email: string }).email === email);

  it('lists every problem with its line, saves the list, and skips the identities with problems', () =>
    importing(async (app) => {
      const lines = ['traits.email,traits.newsletter,state,metadata_public'];
      for (let index = 0; index < 8; index += 1)
        lines.push(`csv-${index}@b.example,${['true', 'FALSE', 'Yes', '0'][index % 4]},active,"{""plan"":""gold""}"`);
      lines.splice(5, 0, 'nobody,true,active,', 'csv-x@b.example,perhaps,asleep,', 'csv-y@b.example,true,awake,');
      await chooseFileToImport(app, { name: 'people.csv', content: lines.join('\r\n') });
      await waitForText(/11 identities, 8 without problems/);
      // Only this schema has a newsletter.
      assert.equal(fieldValue(app, SCHEMA_FIELD), 'customer');
      await waitForText(/None of these people exist yet/);
      const problems = await app.screen.findByRole('region', { name: 'Problems' });
      await waitForText(/6.*nobody.*traits\.email: is not a valid e-mail address/, problems);
      await waitForText(/7, 8.*2 identities.*state: must be active or inactive/, problems);
      await waitForText(/7.*csv-x@b\.example.*traits\.newsletter: must be true or false/, problems);
      const saved = (await savedFileOf(app, 'Save all problems as CSV')).text
        .replace('\uFEFF', '')
        .trim()
        .split('\r\n');
      assert.deepEqual(
        saved.map((line) => line.split(',')[0]),
        ['line', '6', '7', '7', '8'],
      );
      await app.user.selectOptions(app.screen.getByLabelText('“asleep” means'), 'inactive');
      await app.press('Check again');
      await waitForText(/11 identities, 8 without problems/);
      await waitForText(
        /8.*csv-y@b\.example.*state: must be active or inactive/,
        await app.screen.findByRole('region', { name: 'Problems' }),
      );
      await app.press('Import 8 identities');
      await until(() => app.requests.some(({ method, reason }) => method === 'PATCH' && reason === 'people.csv'));
      await app.screen.findByRole('heading', { name: 'The import is complete' });
      assert.deepEqual([summaryCount('Created'), summaryCount('Skipped because of problems')], ['8', '3']);
      const created = await Promise.all([0, 1, 2, 3].map((index) => inStore(`csv-${index}@b.example`)));
      assert.deepEqual(
        created.map((stored) => (stored?.traits as { newsletter?: unknown } | undefined)?.newsletter),
        [true, false, true, false],
      );
      await app.press('Choose another file');
      await chooseFileToImport(app, { name: 'more.csv', content: 'traits.email\nnew@b.example\nCSV-3@b.example\n' });
      await waitForText(/1 already exists, on line 3/);
      await waitForText(/3 already exists/, await app.screen.findByRole('region', { name: 'Preview' }));
    }));

  it('asks whether passwords that look like hashes are hashes, and applies the choice at once', () =>
    importing(async (app) => {
      const rows = [1, 2].map((number) => `customer,p${number}@b.example,${number === 1 ? '2020-03-01' : ''},${KEY},x`);
      const content = ['schema_id,mail,deactivatedAt,password,salt', ...rows].join('\n');
      await chooseFileToImport(app, { name: 'people.csv', content });
      await app.press('Check the file');
      await waitForText(/2 identities, 2 without problems.* 1 inactive\./);
      const question = 'These passwords look like hashes';
      assert.equal(fieldValue(app, question), 'Hashes, leave them out');
      await waitForText(/hash, left out/, await app.screen.findByRole('region', { name: 'Preview' }));
      await app.choose(question, 'Passwords as they are');
      await waitForText(/2 without problems.* 2 with a password/);
      assert.equal(fieldValue(app, question), 'Passwords as they are');
    }));

  it('keeps the column mapping if the operator edits it again', () =>
    importing(async (app) => {
      await chooseFileToImport(app, { name: 'people.csv', content: 'Contact;Rufname;Mail\n;Ada;ada@b.example\n' });
      const meaning = async (column: string): Promise<string> =>
        ((await app.screen.findByLabelText(`${column} becomes`)) as HTMLSelectElement).value;
      assert.equal(await meaning('Mail'), 'traits.email');
      await app.choose('Rufname becomes', 'external_id');
      await app.choose('Mail becomes', 'Skip this column');
      await app.choose('Contact becomes', 'state');
      const meanings = () => Promise.all(['Contact', 'Rufname', 'Mail'].map(meaning));
      await app.user.selectOptions(app.screen.getByLabelText('Mail becomes'), 'traits.email');
      await app.press('Check the file');
      await app.press('Change the column mapping');
      assert.deepEqual(await meanings(), ['state', 'external_id', 'traits.email']);
    }));
});

describe('the export page', () => {
  const suite = appOfSuite({ people: 300 });
  const exporting = (work: (app: App) => Promise<void>): Promise<void> =>
    suite.open('/identities/export', { heading: 'Export identities' }, work);

  it('exports IDs, dates and nested members, or only the selected columns, but never credentials', async () => {
    suite.upstream.reset();
    const { id } = await createIdentity(suite, {
      schema_id: 'customer',
      traits: { email: 'leaves@b.example', name: { first: 'Lea', last: 'Ves' } },
      credentials: { password: { config: { password: 'a-long-password-of-lea' } } },
    });
    await exporting(async (app) => {
      const { text } = await savedFileOf(app, 'Export all identities');
      const [header = '', ...lines] = text.split('\r\n');
      for (const name of ['id', 'created_at', 'updated_at', 'traits.name.first'])
        assert.ok(header.split(',').includes(name), name);
      assert.ok(lines.some((line) => line.startsWith(`${id},customer,active,`) && /20\d\d-/.test(line)));
      assert.ok(!text.includes('hashed_password'));
      assert.ok(suite.upstream.requests.every(({ path }) => !path.includes('include_credential')));
      await app.press('Start another export');
      for (const name of header.split(',').filter((column) => !['id', 'traits.name.last'].includes(column)))
        await app.user.click(app.screen.getByLabelText(name === 'traits' ? /^traits \(/ : name));
      const some = await savedFileOf(app, 'Export all identities');
      assert.equal(some.text.split('\r\n')[0], 'id,traits.name.last');
      assert.ok(some.text.includes(`${id},Ves\r\n`));
    });
  });

  it('asks for confirmation when the operator leaves it during an export', async () => {
    const leave = async ({ screen, user }: App): Promise<void> =>
      user.click((await screen.findAllByRole('link', { name: 'Identities' }))[0] as HTMLElement);
    await exporting(async (app) => {
      const { promise: released, resolve: release } = Promise.withResolvers<undefined>();
      suite.upstream.before = ({ path }) => (path.includes('page_size=250') ? released : undefined);
      await app.press('Export all identities');
      await until(() => suite.upstream.requests.some(({ path }) => path.includes('page_size=250')));
      await leave(app);
      await app.screen.findByRole('dialog', { name: 'Stop the export?' });
      const [, stay] = within(await findDialog(app)).getAllByRole('button', { name: 'Stay' });
      await app.user.click(stay as HTMLElement);
      release(undefined);
      await app.screen.findByRole('heading', { name: 'Export complete' });
    });
  });
});
