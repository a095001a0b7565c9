import assert from 'node:assert/strict';
import { becomes } from '../support/becomes.ts';
import { interceptedDashboardOfSuite, onPage } from '../support/intercepted-dashboard.ts';
import { batches, chooseFile, count, download, ofGroup, people, textOf } from '../support/transfer-pages.ts';

describe('an import that is interrupted, in a browser', function () {
  this.timeout(120_000);
  const intercepted = interceptedDashboardOfSuite();

  it('of 5,000 is cancelled halfway and goes on after a reload when the same file is chosen', () =>
    onPage(intercepted, '/identities/import', async ({ page }) => {
      const file = people('half', 5_000);
      let letGo = (): void => {};
      const held = new Promise<void>((resolve) => {
        letGo = resolve;
      });
      let reached = (): void => {};
      const halfway = new Promise<void>((resolve) => {
        reached = resolve;
      });
      intercepted.upstream.before = async () => {
        if (batches(intercepted).length < 25) return undefined;
        reached();
        await held;
        return undefined;
      };
      await chooseFile(page, file);
      await page.getByText('5,000 identities, 5,000 without problems').waitFor();
      assert.deepEqual(batches(intercepted), []);
      await page.getByRole('button', { name: 'Import 5,000 identities' }).click();
      await halfway;
      await page.getByText('2,400 of 5,000').waitFor();
      await page.getByRole('button', { name: 'Cancel' }).click();
      await page.getByText('Ending after the current request').waitFor();
      letGo();
      await page.getByRole('heading', { name: 'The import was cancelled' }).waitFor();
      await becomes(() => count(page, 'Created'), '2,500');
      await becomes(() => count(page, 'Not sent'), '2,500');
      await becomes(async () => (await ofGroup(intercepted, 'half')).length, 2_500);

      const kept = await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }]));
      assert.ok(!kept.includes('b.example') && !kept.includes('half'), kept);
      intercepted.upstream.seen = [];
      await page.reload();
      await page.getByText('2,500 of 5,000 identities of a file were processed').waitFor();
      await chooseFile(page, file);
      await page.getByText('This file was partly imported').waitFor();
      await page.getByRole('button', { name: 'Continue with identity 2,501' }).click();
      await page.getByRole('heading', { name: 'The import is complete' }).waitFor({ timeout: 60_000 });
      await becomes(() => count(page, 'Created'), '5,000');
      await becomes(() => count(page, 'Already existing'), '0');
      assert.equal(
        batches(intercepted).reduce((sum, size) => sum + size),
        2_500,
      );
      await becomes(async () => (await ofGroup(intercepted, 'half')).length, 5_000);
      await becomes(() => page.evaluate(() => localStorage.length), 0);
    }));

  it('reports as existing those whose request was cut off by a reload', () =>
    onPage(intercepted, '/identities/import', async ({ page }) => {
      const file = people('cut', 250);
      let reached = (): void => {};
      const stored = new Promise<void>((resolve) => {
        reached = resolve;
      });
      intercepted.upstream.after = async () => {
        if (batches(intercepted).length < 2) return undefined;
        reached();
        return new Promise<'lost'>((resolve) => setTimeout(resolve, 2_000, 'lost'));
      };
      page.on('dialog', (dialog) => void dialog.accept());
      await chooseFile(page, file);
      await page.getByRole('button', { name: 'Import 250 identities' }).click();
      await stored;
      await page.reload();
      intercepted.upstream.after = () => undefined;
      await chooseFile(page, file);
      await page.getByRole('button', { name: 'Continue with identity 101' }).click();
      await page.getByRole('heading', { name: 'The import is complete' }).waitFor();
      await becomes(() => count(page, 'Created'), '150');
      await becomes(() => count(page, 'Already existing'), '100');
      await becomes(() => count(page, 'Failed'), '0');
      const report = (await textOf(await download(page, 'Save the report'))).replace('\uFEFF', '').trim().split('\r\n');
      assert.equal(report.length, 251);
      assert.equal(report.filter((line) => line.includes(',already exists,')).length, 100);
      const [last] = (await ofGroup(intercepted, 'cut')).filter(({ external_id }) => external_id === 'cut-249');
      assert.equal(report.at(-1), `250,cut-249@b.example,created,${last?.id},`);
    }));

  it('waits for a store that is away, stops when it stays away, and goes on in place', () =>
    onPage(intercepted, '/identities/import', async ({ page, expect }) => {
      expect(502, /\/admin\/identities$/);
      expect(503, /\/admin\/identities$/);
      let away = 1;
      intercepted.upstream.before = () => {
        if (batches(intercepted).length < 2 || away === 0) return undefined;
        if (away === 1) away = 0;
        return { status: 503, headers: { 'Retry-After': '0' }, body: '{}' };
      };
      await chooseFile(page, people('away', 350));
      await page.getByRole('button', { name: 'Import 350 identities' }).click();
      await page.getByRole('heading', { name: 'The import is complete' }).waitFor();
      await becomes(() => count(page, 'Created'), '350');

      await page.getByRole('button', { name: 'Choose another file' }).click();
      intercepted.upstream.seen = [];
      away = 2;
      await chooseFile(page, people('gone', 350));
      await page.getByRole('button', { name: 'Import 350 identities' }).click();
      await page.getByRole('heading', { name: 'The import has stopped' }).waitFor();
      await becomes(() => count(page, 'Created'), '100');
      assert.equal(batches(intercepted).length, 6);
      away = 0;
      await page.getByRole('button', { name: 'Continue with identity 101' }).click();
      await page.getByRole('heading', { name: 'The import is complete' }).waitFor();
      await becomes(() => count(page, 'Created'), '350');
    }));
});
