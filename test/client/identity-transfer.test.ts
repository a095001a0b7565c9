import assert from 'node:assert/strict';
import { within } from '@testing-library/dom';
import { type App, appOfSuite } from '../support/app-in-dom.tsx';
import { until } from '../support/eventually.ts';
import { chooseFileIn, countIn, dialogOf, reads, savedBy, typedIn } from '../support/identity-dom.ts';
import { create } from '../support/identity-pages.ts';
import { storedIdentities } from '../support/stored-identities.ts';

const SCHEMA = 'Default schema';

describe('the import of identities', () => {
  const suite = appOfSuite();
  const importing = (work: (app: App) => Promise<void>, respond: App['respond'] = () => undefined): Promise<void> =>
    suite.open('/identities/import', { heading: 'Import identities', respond }, work);
  const isComplete = ({ screen }: App): Promise<HTMLElement> =>
    screen.findByRole('heading', { name: 'The import is complete' });
  const inStore = async (email: string) =>
    (await storedIdentities(suite.upstream.target)).find(({ traits }) => (traits as { email: string }).email === email);

  it('lists every problem with its line, saves the list, and skips those identities', () =>
    importing(async (app) => {
      const lines = ['traits.email,traits.newsletter,state,metadata_public'];
      for (let index = 0; index < 8; index += 1)
        lines.push(`csv-${index}@b.example,${['true', 'FALSE', 'Yes', '0'][index % 4]},active,"{""plan"":""gold""}"`);
      lines.splice(5, 0, 'nobody,true,active,', 'csv-x@b.example,perhaps,asleep,', 'csv-y@b.example,true,awake,');
      await chooseFileIn(app, { name: 'people.csv', content: lines.join('\r\n') });
      await reads(/11 identities, 8 without problems/);
      // Only this schema has a newsletter.
      assert.equal(typedIn(app, SCHEMA), 'customer');
      await reads(/None of these people exist yet/);
      const problems = await app.screen.findByRole('region', { name: 'Problems' });
      await reads(/6.*nobody.*traits\.email: is not a valid e-mail address/, problems);
      await reads(/7, 8.*2 identities.*state: must be active or inactive/, problems);
      await reads(/7.*csv-x@b\.example.*traits\.newsletter: must be true or false/, problems);
      const saved = (await savedBy(app, 'Save all problems as CSV')).text.replace('\uFEFF', '').trim().split('\r\n');
      assert.deepEqual(
        saved.map((line) => line.split(',')[0]),
        ['line', '6', '7', '7', '8'],
      );
      const asleep = app.screen.getByLabelText('“asleep” means');
      await app.user.selectOptions(asleep, 'inactive');
      await app.press('Check again');
      await reads(/11 identities, 8 without problems/);
      await reads(
        /8.*csv-y@b\.example.*state: must be active or inactive/,
        await app.screen.findByRole('region', { name: 'Problems' }),
      );
      await app.press('Import 8 identities');
      await isComplete(app);
      assert.deepEqual([countIn('Created'), countIn('Skipped because of problems')], ['8', '3']);
      const news = await Promise.all([0, 1, 2, 3].map((index) => inStore(`csv-${index}@b.example`)));
      assert.deepEqual(
        news.map((stored) => (stored?.traits as { newsletter?: unknown } | undefined)?.newsletter),
        [true, false, true, false],
      );
      await app.press('Choose another file');
      await chooseFileIn(app, { name: 'more.csv', content: 'traits.email\nnew@b.example\nCSV-3@b.example\n' });
      await reads(/1 already exists, on line 3/);
      await reads(/3 already exists/, await app.screen.findByRole('region', { name: 'Preview' }));
    }));
});

describe('the columns of a file without column names', () => {
  const suite = appOfSuite();

  it('keep their mapping with another schema, and when it is changed later', () =>
    suite.open('/identities/import', { heading: 'Import identities' }, async (app) => {
      await chooseFileIn(app, { name: 'people.csv', content: 'Contact;Rufname;Mail\n;Ada;ada@b.example\n' });
      const meaning = async (column: string): Promise<string> =>
        ((await app.screen.findByLabelText(`${column} becomes`)) as HTMLSelectElement).value;
      assert.equal(await meaning('Mail'), 'traits.email');
      await app.choose('Rufname becomes', 'external_id');
      await app.choose('Mail becomes', 'Skip this column');
      await app.choose('Contact becomes', 'state');
      const schema = app.screen.getByLabelText(SCHEMA) as HTMLSelectElement;
      const other = [...schema.options].find(({ value }) => value !== '' && value !== schema.value);
      await app.choose(SCHEMA, other?.text ?? '');
      const meanings = () => Promise.all(['Contact', 'Rufname', 'Mail'].map(meaning));
      assert.deepEqual(await meanings(), ['state', 'external_id', '']);
      await app.user.selectOptions(app.screen.getByLabelText('Mail becomes'), 'traits.email');
      await app.press('Check the file');
      await app.press('Change the column mapping');
      assert.deepEqual(await meanings(), ['state', 'external_id', 'traits.email']);
    }));
});

describe('the export of identities', () => {
  const suite = appOfSuite({ people: 300 });
  const exporting = (work: (app: App) => Promise<void>): Promise<void> =>
    suite.open('/identities/export', { heading: 'Export identities' }, work);
  /** Answers to requests for later pages wait from now on until the result is called. */
  function holdPages(of: RegExp): () => void {
    let letGo = (): void => {};
    const held = new Promise<undefined>((resolve) => {
      letGo = () => resolve(undefined);
    });
    suite.upstream.before = ({ method, path }) => (of.test(`${method} ${path}`) ? held : undefined);
    return letGo;
  }

  it('contains ids, dates and nested members, or the selected columns, and no credentials', async () => {
    suite.upstream?.calm();
    const { id } = await create(suite, {
      schema_id: 'customer',
      traits: { email: 'leaves@b.example', name: { first: 'Lea', last: 'Ves' } },
      credentials: { password: { config: { password: 'a-long-password-of-lea' } } },
    });
    await exporting(async (app) => {
      const { text } = await savedBy(app, 'Export all identities');
      const [header = '', ...lines] = text.split('\r\n');
      for (const name of ['id', 'created_at', 'updated_at', 'traits.name.first'])
        assert.ok(header.split(',').includes(name), name);
      assert.ok(lines.some((line) => line.startsWith(`${id},customer,active,`) && /20\d\d-/.test(line)));
      assert.ok(!text.includes('hashed_password'));
      assert.ok(suite.upstream.seen.every(({ path }) => !path.includes('include_credential')));
      await app.press('Start another export');
      for (const name of header.split(',').filter((column) => !['id', 'traits.name.last'].includes(column)))
        await app.user.click(app.screen.getByLabelText(name === 'traits' ? /^traits \(/ : name));
      const some = await savedBy(app, 'Export all identities');
      assert.equal(some.text.split('\r\n')[0], 'id,traits.name.last');
      assert.ok(some.text.includes(`${id},Ves\r\n`));
    });
  });

  it('asks for confirmation before it is left while running', async () => {
    const leave = async ({ screen, user }: App): Promise<void> =>
      user.click((await screen.findAllByRole('link', { name: 'Identities' }))[0] as HTMLElement);
    await exporting(async (app) => {
      const letGo = holdPages(/page_size=250/);
      await app.press('Export all identities');
      await until(() => suite.upstream.seen.some(({ path }) => path.includes('page_size=250')));
      await leave(app);
      await app.screen.findByRole('dialog', { name: 'Stop the export?' });
      const [, stay] = within(await dialogOf(app)).getAllByRole('button', { name: 'Stay' });
      await app.user.click(stay as HTMLElement);
      letGo();
      await app.screen.findByRole('heading', { name: 'Export complete' });
    });
  });
});
