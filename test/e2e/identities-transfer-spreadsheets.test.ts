import assert from 'node:assert/strict';
import { hashPassword } from '../../server/sandbox/passwords.ts';
import { assertAccessibleInAllLooks } from '../support/axe.ts';
import { becomes } from '../support/becomes.ts';
import { create, rows as listed, signInAs } from '../support/identity-pages.ts';
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
      await page.getByLabel('Schema for identities that name none').selectOption('customer');
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
      await page.getByText('1 identity, 1 without problems').waitFor();
      await page.getByRole('button', { name: 'Change column meanings' }).click();
      await page.getByRole('button', { name: 'Check the file' }).click();
      await page.getByRole('button', { name: 'Import 1 identity' }).click();
      await page.getByRole('heading', { name: 'The import is complete' }).waitFor();
      const stored = await inStore(email);
      assert.deepEqual(stored?.traits, { email, name: { first: 'Ada', last: 'Lovelace' } });
      assert.equal(stored?.schema_id, 'customer');
    }));

  it('bring passwords and hashes along, with which people sign in, and which are shown and kept nowhere', () =>
    onPage(intercepted, '/identities/import', async ({ page }) => {
      const { dashboard, sessions, upstream } = intercepted;
      const plain = 'plain-secret-of-a';
      const scrypt = await hashPassword('hashed-secret-of-b');
      const bcrypt = '$2b$12$abcdefghijklmnopqrstuuWxyz0123456789ABCDEFGHIJKLMNOPQ';
      const unknown = 'd41d8cd98f00b204e9800998ecf8427e';
      const secrets = [plain, scrypt, bcrypt, unknown];
      const rows = [`a@pw.example;;${plain}`, `b@pw.example;${scrypt};`, `c@pw.example;${bcrypt};`];
      const bad = [`d@pw.example;${unknown};`, `e@pw.example;${bcrypt};${plain}`, 'f@pw.example;;'];
      const content = ['Mail;password;initial_password', ...rows, ...bad].join('\n');
      const shown: string[] = [];
      const look = async (): Promise<void> => {
        shown.push(await page.content(), page.url());
        shown.push(await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }])));
      };

      await chooseFile(page, { name: 'moved.csv', content });
      await page.getByRole('heading', { name: 'What the columns of moved.csv mean' }).waitFor();
      await page.getByLabel('Schema for identities that name none').selectOption('customer');
      const meaning = (name: string) => page.getByLabel(`${name} becomes`, { exact: true }).inputValue();
      await becomes(() => meaning('password'), 'credentials.password.config.hashed_password');
      await becomes(() => meaning('initial_password'), 'credentials.password.config.password');
      await page.getByRole('row', { name: /^password .*scrypt hash, bcrypt hash/ }).waitFor();
      await look();
      await page.getByRole('button', { name: 'Check the file' }).click();
      await page.getByText('6 identities, 4 without problems').waitFor();
      await page.getByText('1 with a password, which takes longer').waitFor();
      await page
        .getByRole('row', { name: /^5 d@pw\.example .* a format that the identity service does not support/ })
        .waitFor();
      await page.getByText('Supported hashes: bcrypt ($2a$)').waitFor();
      await page.getByRole('row', { name: /^6 e@pw\.example .* there is a hash as well/ }).waitFor();
      for (const name of ['2 a@pw.example customer plain text', '4 c@pw.example customer bcrypt hash'])
        await page.getByRole('region', { name: 'Preview' }).getByRole('row', { name }).waitFor();
      shown.push(await textOf(await download(page, 'Save all problems as CSV')));
      await look();
      await page.getByRole('button', { name: 'Import 4 identities' }).click();
      await page.getByRole('heading', { name: 'The import is complete' }).waitFor();
      shown.push(await textOf(await download(page, 'Save the report')));
      await look();
      const audit = async () => (await dashboard.call('/api/security/audit', { session: sessions.admin })).text();
      await becomes(audit, /"target":"\/api\/identity-admin\/admin\/identities"/);
      shown.push(await audit(), dashboard.logged.join(''));
      for (const secret of secrets) assert.ok(!shown.some((text) => text.includes(secret)), secret);

      const sent = upstream.seen.filter(({ method }) => method === 'PATCH').map(({ body }) => JSON.parse(body));
      assert.deepEqual(
        sent.flatMap(({ identities }) => identities),
        [{ password: plain }, { hashed_password: scrypt }, { hashed_password: bcrypt }, undefined].map(
          (config, index) => ({
            create: {
              schema_id: 'customer',
              traits: { email: `${['a', 'b', 'c', 'f'][index]}@pw.example` },
              ...(config === undefined ? {} : { credentials: { password: { config } } }),
            },
          }),
        ),
      );
      const signIn = (who: string, password: string) => signInAs(intercepted, `${who}@pw.example`, password);
      assert.deepEqual(await Promise.all([signIn('a', plain), signIn('b', 'hashed-secret-of-b')]), [200, 200]);
      assert.deepEqual(await Promise.all([signIn('b', scrypt), signIn('f', plain)]), [400, 400]);
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
      await page.getByText('1 identity, 1 without problems').waitFor();
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
      await becomes(() => count(page, 'Skipped because of problems'), '1');
      await page.getByRole('row', { name: /^4 TWICE-0@b\.example/ }).waitFor();
      const report = await textOf(await download(page, 'Save the report'));
      assert.match(report, /\r\n1,twice-0@b\.example,created,[0-9a-f-]{36},/);
      assert.match(report, /\r\n4,TWICE-0@b\.example,skipped,,/);
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
      await page.getByRole('button', { name: 'Start another export' }).click();
      for (const name of header.split(',').filter((column) => !['id', 'traits.name.last'].includes(column)))
        await page.getByRole('checkbox', { name: name === 'traits' ? /^traits \(/ : name, exact: true }).uncheck();
      await assertAccessibleInAllLooks(page, 'the choice of columns');
      const some = await textOf(await download(page, 'Export all identities'));
      assert.equal(some.split('\r\n')[0], 'id,traits.name.last');
      assert.ok(some.includes(`${somebody.id},Ves\r\n`));
    }));

  it('ask before a running export or import is left', () =>
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
        .getByRole('button', { name: 'End and leave' })
        .click();
      letGo();
      await listed(page).first().waitFor();
    }));
});
