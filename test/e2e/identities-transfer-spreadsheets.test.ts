import assert from 'node:assert/strict';
import { assertAccessibleInAllLooks } from '../support/axe.ts';
import { becomes } from '../support/becomes.ts';
import { create, rows } from '../support/identity-pages.ts';
import { interceptedDashboardOfSuite, onPage } from '../support/intercepted-dashboard.ts';
import { storedIdentities } from '../support/stored-identities.ts';
import { batches, chooseFile, count, download, people, textOf } from '../support/transfer-pages.ts';

describe('identities from and for spreadsheets, in a browser', function () {
  this.timeout(120_000);
  const intercepted = interceptedDashboardOfSuite();
  const inStore = async (email: string) =>
    (await storedIdentities(intercepted.upstream.target)).find(
      ({ traits }) => (traits as { email: string }).email === email,
    );

  it(`have columns that are guessed and can be said, in all colours and widths`, () =>
    onPage(intercepted, '/identities/import', async ({ page }) => {
      const email = 'sheet@b.example';
      const content = ['Mail;Vorname;Surname;CRM;Shoe size', `${email};Ada;Lovelace;crm-1;38`].join('\r\n');
      await chooseFile(page, { name: 'sheet.csv', content });
      await page.getByRole('heading', { name: 'What the columns of sheet.csv mean' }).waitFor();
      await page.getByLabel('Schema of identities that name none').selectOption('customer');
      const target = (name: string) => page.getByLabel(`${name} becomes`);
      await becomes(() => target('Mail').inputValue(), 'traits.email');
      await becomes(() => target('Vorname').inputValue(), 'traits.name.first');
      await becomes(() => target('Surname').inputValue(), 'traits.name.last');
      await becomes(() => target('Shoe size').inputValue(), '');
      await assertAccessibleInAllLooks(page, 'the question what the columns mean');
      await target('CRM').selectOption('traits.email');
      await page.getByText('Two columns become traits.email.').waitFor();
      await becomes(() => page.getByRole('button', { name: 'Check the file' }).isDisabled(), true);
      await target('CRM').selectOption('external_id');
      await page.getByRole('button', { name: 'Check the file' }).click();
      await page.getByText('1 identity, 1 of them without problems').waitFor();
      await page.getByRole('button', { name: 'Change what the columns mean' }).click();
      await page.getByRole('button', { name: 'Check the file' }).click();
      await page.getByRole('button', { name: 'Import 1 identity' }).click();
      await page.getByRole('heading', { name: 'The import is complete' }).waitFor();
      const stored = await inStore(email);
      assert.deepEqual(stored?.traits, { email, name: { first: 'Ada', last: 'Lovelace' } });
      assert.equal(stored?.schema_id, 'customer');
    }));

  it('have a template for each schema, whose file is read without a question', () =>
    onPage(intercepted, '/identities/import', async ({ page }) => {
      await page.getByLabel('Template for the schema').selectOption('customer');
      const saved = await download(page, 'Save a template as CSV');
      assert.match(saved.suggestedFilename(), /^identities-customer/);
      const template = await textOf(saved);
      assert.match(template, /traits\.name\.first/);
      const columns = template.replace('\uFEFF', '').trim().split(',');
      const row = columns.map(
        (name) =>
          ({ schema_id: 'customer', 'traits.email': 'template@b.example', 'traits.name.first': 'T' })[name] ?? '',
      );
      await chooseFile(page, { name: 'filled.csv', content: `${template}${row.join(',')}\r\n` });
      await page.getByText('1 identity, 1 of them without problems').waitFor();
    }));

  it('are flagged where two of one file are the same person, and reported by name', () =>
    onPage(intercepted, '/identities/import', async ({ page }) => {
      const { content } = people('twice', 3);
      const again = people('twice', 1)
        .content.replace('twice-0@', 'TWICE-0@')
        .replace('"external_id":"twice-0"', '"external_id":"other"');
      await chooseFile(page, { name: 'twice.ndjson', content: `${content}\n${again}` });
      await page.getByRole('row', { name: '4 TWICE-0@b.example traits.email: the same as in line 1' }).waitFor();
      await page.getByRole('button', { name: 'Import 3 identities' }).click();
      await page.getByRole('heading', { name: 'The import is complete' }).waitFor();
      assert.deepEqual(batches(intercepted), [3]);
      await becomes(() => count(page, 'Left out, because of problems'), '1');
      await page.getByRole('row', { name: /^4 TWICE-0@b\.example/ }).waitFor();
      const report = await textOf(await download(page, 'Save the report'));
      assert.match(report, /\r\n1,twice-0@b\.example,created,[0-9a-f-]{36},/);
      assert.match(report, /\r\n4,TWICE-0@b\.example,left out,,/);
    }));

  it('leave with ids, dates and members of objects, or with the columns that were chosen', () =>
    onPage(intercepted, '/identities/export', async ({ page }) => {
      const somebody = await create(intercepted, {
        schema_id: 'customer',
        traits: { email: 'leaves@b.example', name: { first: 'Lea', last: 'Ves' } },
      });
      const all = await textOf(await download(page, 'Export all identities'));
      const [header = '', ...lines] = all.split('\r\n');
      for (const name of ['id', 'created_at', 'updated_at', 'traits.name.first'])
        assert.ok(header.split(',').includes(name), name);
      assert.ok(lines.some((line) => line.startsWith(`${somebody.id},customer,active,`) && /20\d\d-/.test(line)));
      await page.getByRole('button', { name: 'Another export' }).click();
      for (const name of header.split(',').filter((column) => !['id', 'traits.name.last'].includes(column)))
        await page.getByRole('checkbox', { name: name === 'traits' ? /^traits \(/ : name, exact: true }).uncheck();
      await assertAccessibleInAllLooks(page, 'the choice of columns');
      const some = await textOf(await download(page, 'Export all identities'));
      assert.equal(some.split('\r\n')[0], 'id,traits.name.last');
      assert.ok(some.includes(`${somebody.id},Ves\r\n`));
    }));

  it('are asked about before one leaves an export or an import that runs', () =>
    onPage(intercepted, '/identities/export', async ({ page }) => {
      let letGo = (): void => {};
      const hold = (): void => {
        const held = new Promise<undefined>((resolve) => {
          letGo = () => resolve(undefined);
        });
        intercepted.upstream.before = ({ path, method }) =>
          path.includes('page_size=250') || method === 'PATCH' ? held : undefined;
      };
      const leave = () =>
        page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Identities' }).click();
      hold();
      await page.getByRole('button', { name: 'Export all identities' }).click();
      await leave();
      await page.getByRole('dialog', { name: 'End the export?' }).getByRole('button', { name: 'Stay' }).last().click();
      letGo();
      await page.getByRole('heading', { name: 'The export is complete' }).waitFor();
      await page.goto(`${intercepted.dashboard.baseUrl}/identities/import`);
      await chooseFile(page, people('leaving', 3));
      hold();
      await page.getByRole('button', { name: 'Import 3 identities' }).click();
      await leave();
      await page
        .getByRole('dialog', { name: 'End the import?' })
        .getByRole('button', { name: 'End it and leave' })
        .click();
      letGo();
      await rows(page).first().waitFor();
    }));
});
