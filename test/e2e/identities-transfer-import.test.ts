import assert from 'node:assert/strict';
import { assertAccessible } from '../support/axe.ts';
import { becomes } from '../support/becomes.ts';
import { interceptedDashboardOfSuite, onPage } from '../support/intercepted-dashboard.ts';
import { storedIdentities } from '../support/stored-identities.ts';
import { batches, chooseFile, count, download, people, textOf } from '../support/transfer-pages.ts';

describe('the import of identities, in a browser', function () {
  this.timeout(120_000);
  const intercepted = interceptedDashboardOfSuite();

  it('names every problem with its line, saves them, and leaves those identities out', () =>
    onPage(intercepted, '/identities/import', async ({ page }) => {
      const lines = ['traits.email,traits.newsletter,state,metadata_public'];
      for (let index = 0; index < 120; index += 1)
        lines.push(`csv-${index}@b.example,${['true', 'FALSE', 'Yes', '0'][index % 4]},active,"{""plan"":""gold""}"`);
      lines[7] = 'nobody,true,active,';
      lines[50] = 'csv-x@b.example,perhaps,asleep,';
      for (const [index, line] of [70, 80, 90, 100].entries()) lines[line] = `csv-y${index}@b.example,true,awake,`;
      await chooseFile(page, { name: 'people.csv', content: lines.join('\r\n') });
      // Only this schema has a newsletter.
      await becomes(() => page.getByLabel('Schema for identities that name none').inputValue(), 'customer');
      await page.getByText('120 identities, 114 without problems').waitFor();
      await page.getByLabel('Schema for identities that name none').selectOption('operator');
      await page.getByText('120 identities, 0 without problems').waitFor();
      await page.getByLabel('Schema for identities that name none').selectOption('customer');
      await page.getByText('120 identities, 114 without problems').waitFor();
      const problems = page.getByRole('region', { name: 'Problems' });
      await problems.getByRole('row', { name: '8 nobody traits.email: is not a valid e-mail address' }).waitFor();
      await problems
        .getByRole('row', { name: '51, 71, 81, … 5 identities state: must be active or inactive' })
        .waitFor();
      await problems
        .getByRole('row', { name: '51 csv-x@b.example traits.newsletter: must be true or false' })
        .waitFor();
      await becomes(() => problems.getByRole('row').count(), 4);
      await becomes(() => page.getByRole('region', { name: 'Preview' }).getByRole('row').count(), 21);
      const saved = (await textOf(await download(page, 'Save all problems as CSV')))
        .replace('\uFEFF', '')
        .trim()
        .split('\r\n');
      assert.deepEqual(
        saved.map((line) => line.split(',')[0]),
        ['line', '8', '51', '51', '71', '81', '91', '101'],
      );
      await page.getByRole('button', { name: 'Import 114 identities' }).click();
      await page.getByRole('heading', { name: 'The import is complete' }).waitFor();
      await becomes(() => count(page, 'Created'), '114');
      await becomes(() => count(page, 'Skipped because of problems'), '6');
      const stored = (await storedIdentities(intercepted.upstream.target)).map(
        ({ traits }) => traits as { email: string; newsletter?: unknown },
      );
      const news = [0, 1, 2, 3].map((who) => stored.find(({ email }) => email === `csv-${who}@b.example`)?.newsletter);
      assert.deepEqual(news, [true, false, true, false]);
    }));

  it('rejects files of other formats with an explanation', () =>
    onPage(intercepted, '/identities/import', async ({ page }) => {
      for (const [content, words] of [
        ['traits.email\n"never closed\n', 'A quotation mark in line 2 is never closed.'],
        ['', 'This file contains no identities.'],
      ] as const) {
        await chooseFile(page, { name: 'people.csv', content });
        await page.getByText(words).waitFor();
      }
      assert.deepEqual(batches(intercepted), []);
    }));

  it('checks again when another schema is chosen for identities that name none, and remembers it', () =>
    onPage(intercepted, '/identities/import', async ({ page }) => {
      const content = JSON.stringify({ traits: { email: 'op@b.example', role: 'viewer' } });
      await chooseFile(page, { name: 'one.ndjson', content });
      await page.getByLabel('Schema for identities that name none').selectOption('customer');
      await page.getByText('traits.role: is not in the schema').waitFor();
      await page.getByLabel('Schema for identities that name none').selectOption('operator');
      await page.getByRole('button', { name: 'Import 1 identity' }).click();
      await page.getByRole('heading', { name: 'The import is complete' }).waitFor();
      await page.reload();
      await chooseFile(page, { name: 'other.ndjson', content: `${content} ` });
      await page.getByText('1 identity, 1 without problems').waitFor();
      await becomes(() => page.getByLabel('Schema for identities that name none').inputValue(), 'operator');
      const [operator] = (await storedIdentities(intercepted.upstream.target)).filter(
        ({ traits }) => (traits as { email: string }).email === 'op@b.example',
      );
      assert.equal(operator?.schema_id, 'operator');
    }));

  for (const [colorScheme, width] of [
    ['light', 1280],
    ['dark', 360],
  ] as const) {
    it(`is accessible at every step and fits ${width} pixels, in ${colorScheme} colours`, () =>
      onPage(
        intercepted,
        '/identities/import',
        async ({ page }) => {
          const look = async (what: string) => {
            await assertAccessible(page, what);
            await becomes(() => page.evaluate(() => document.documentElement.scrollWidth), width, what);
          };
          await page.getByText('File format').waitFor();
          await look('the choice of a file');
          const file = people(`axe-${width}`, 30);
          await chooseFile(page, { ...file, content: `${file.content}\nbroken` });
          await page.getByRole('button', { name: 'Import 30 identities' }).waitFor();
          await look('the review');
          await page.getByRole('button', { name: 'Import 30 identities' }).click();
          await page.getByRole('heading', { name: 'The import is complete' }).waitFor();
          await look('the end');
        },
        { colorScheme, viewport: { width, height: 740 } },
      ));
  }

  it('works by keyboard alone, and the focus follows the steps', () =>
    onPage(intercepted, '/identities/import', async ({ page }) => {
      // Awaited early: the file dialog must be intercepted before the key is pressed.
      const chosen = page.waitForEvent('filechooser');
      await page.getByText('File format').waitFor();
      await page.locator('input[type=file]').focus();
      await page.keyboard.press('Enter');
      const chooser = await chosen;
      const { name, content } = people('keys', 3);
      await chooser.setFiles({ name, mimeType: '', buffer: Buffer.from(content) });
      await page.getByRole('button', { name: 'Import 3 identities' }).waitFor();
      await page.keyboard.press('Tab');
      await page.keyboard.press('Tab');
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'The import is complete' }).waitFor();
      await page.keyboard.press('Tab');
      await becomes(() => page.evaluate(() => document.activeElement?.textContent), 'Save the report');
    }));

  it('tells a viewer why there is nothing to do', () =>
    onPage(
      intercepted,
      '/identities/import',
      async ({ page }) => {
        await page.getByText('Admin access required.').waitFor();
        await becomes(() => page.locator('input[type=file]').count(), 0);
        await becomes(() => intercepted.upstream.seen, []);
        await assertAccessible(page, "the viewer's import");
      },
      { role: 'viewer' },
    ));
});
