import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import type { Download, Page } from 'playwright-core';
import type { AuditRecord } from '../../shared/audit.ts';
import { assertAccessibleInAllLooks } from '../support/axe.ts';
import { becomes } from '../support/becomes.ts';
import { failsInPlace, isClosedToViewers, looksRight, visitedPageOfSuite } from '../support/security-pages.ts';

const PATH = '/security/audit';
const SAVED = 30;

describe('the audit trail’s page, in a browser', () => {
  const visited = visitedPageOfSuite(PATH, 'Audit trail');
  before(async () => {
    const { dashboard, sessions } = visited;
    for (let index = 0; index < SAVED; index += 1)
      await dashboard.call('/api/settings', {
        session: sessions.admin,
        json: { key: `brand.${index % 2 === 0 ? 'name' : 'color'}`, value: 'x', category: 'brand' },
      });
  });

  const records = (page: Page) => page.getByRole('list', { name: 'Records, the latest first' }).getByRole('listitem');
  const search = (page: Page): Record<string, string> => Object.fromEntries(new URL(page.url()).searchParams);
  const textOf = async (download: Download): Promise<string> => readFile((await download.path()) ?? '', 'utf8');

  it('tells each record as a sentence that leads to what it names', () =>
    visited.visit(async ({ page }) => {
      const first = records(page).first();
      await first.getByText('You changed the setting brand.color').waitFor();
      await first.getByText(/stored in plain text · category brand · record/).waitFor();
      await first.getByRole('link', { name: 'brand.color' }).click();
      await page.getByRole('dialog', { name: 'Edit setting' }).waitFor();
      await becomes(() => search(page).key, 'brand.color');
      await page.goBack();
      await records(page).first().getByRole('link', { name: 'You' }).click();
      await page.getByRole('button', { name: 'Show everything' }).waitFor();
      await becomes(() => search(page).actor, /^[0-9a-f-]{36}$/);
    }));

  it('keeps its filters in the address, through a reload and back', () =>
    visited.visit(async ({ page }) => {
      await records(page).first().waitFor();
      await page.getByLabel('What').selectOption('login');
      await page.getByLabel('What').press('Tab');
      await page.getByRole('button', { name: 'Show', exact: true }).click();
      await page.getByText('signed in as viewer').waitFor();
      await becomes(() => search(page), { action: 'login' });
      await becomes(() => records(page).count(), 2);
      await page.reload();
      await page.getByText('signed in as viewer').waitFor();
      await becomes(() => page.getByLabel('What').inputValue(), 'login');
      await page.getByLabel('About').fill('setting:brand.name');
      await page.keyboard.press('Enter');
      await page.getByText('No record matches').waitFor();
      await assertAccessibleInAllLooks(page, 'the trail without a match');
      await page.goBack();
      await page.getByText('signed in as viewer').waitFor();
      await becomes(() => page.getByLabel('About').inputValue(), '');
    }));

  it('takes a range of time in the browser’s zone, and a quick one', () =>
    visited.visit(async ({ page }) => {
      await page.getByRole('button', { name: 'Last hour' }).click();
      await records(page).first().waitFor();
      assert.equal(search(page).from, '1h', 'it moves with the clock');
      const shown = await page.getByLabel('From').inputValue();
      const from = await page.evaluate((text) => new Date(text).getTime(), shown);
      assert.ok(from > Date.now() - 3_700_000 && from < Date.now() - 3_500_000, shown);
      await page.getByRole('button', { name: 'Show', exact: true }).click();
      await becomes(() => search(page).from, '1h');
      await page.getByLabel('Before').fill('2020-01-31T09:30');
      await page.getByLabel('From').fill('');
      await page.getByRole('button', { name: 'Show', exact: true }).click();
      await page.getByText('No record matches').waitFor();
      await becomes(() => search(page), {
        to: await page.evaluate(() => new Date('2020-01-31T09:30').toISOString()),
      });
      await page.getByRole('main').getByRole('button', { name: 'Show everything' }).first().click();
      await records(page).first().waitFor();
    }));

  it('says what is wrong with a filter that the service refuses, and shows no other records as if they matched', () =>
    visited.visit(async ({ page, expect }) => {
      expect(400, '/api/security/audit');
      await page.goto(`${visited.dashboard.baseUrl}${PATH}?from=yesterday`);
      await page
        .getByRole('alert')
        .getByText(/must be a time/)
        .waitFor();
      await becomes(() => records(page).count(), 0);
      await assertAccessibleInAllLooks(page, 'a filter that is refused');
    }));

  it('walks on page by page, by keyboard', () =>
    visited.visit(async ({ page }) => {
      await page.getByText('Page 1, rows 1–25').waitFor();
      const latest = await records(page).first().textContent();
      await page.getByRole('button', { name: 'Next page' }).focus();
      await page.keyboard.press('Enter');
      await page.getByText(/Page 2, rows 26–\d+/).waitFor();
      assert.notEqual(await records(page).first().textContent(), latest);
      await page.getByRole('button', { name: 'Previous page' }).focus();
      await page.keyboard.press('Enter');
      await page.getByText('Page 1, rows 1–25').waitFor();
    }));

  it('shows the state of the chain', () =>
    visited.visit(async ({ context, page }) => {
      await page.getByText(/The chain is intact: all \d+ records verified/).waitFor();
      await context.route('**/api/security/audit/chain', (route) =>
        route.fulfill({
          json: { status: 'broken', verified_to: 6, head: 90, broken_at: 7, as_of: new Date().toISOString() },
        }),
      );
      await page.reload();
      await page
        .getByRole('alert')
        .getByText(/broken at record 7/)
        .waitFor();
      await assertAccessibleInAllLooks(page, 'the broken chain');
    }));

  it('saves all records that the filters find as CSV and as NDJSON, by keyboard', () =>
    visited.visit(async ({ page }) => {
      await page.goto(`${visited.dashboard.baseUrl}${PATH}?subject=setting:brand.name`);
      await records(page).first().waitFor();
      await page.getByRole('button', { name: 'Export…' }).focus();
      await page.keyboard.press('Enter');
      await becomes(() => page.locator(':focus').textContent(), 'Export as CSV');
      await assertAccessibleInAllLooks(page, 'the choice of an export');
      const csv = page.waitForEvent('download');
      await page.keyboard.press('Enter');
      const lines = (await textOf(await csv)).trimEnd().split('\r\n');
      assert.equal(lines.length, 1 + SAVED / 2);
      assert.ok(lines.slice(1).every((line) => line.includes('setting:brand.name')));
      await becomes(async () => (await csv).suggestedFilename(), /^audit-customer-.*\.csv$/);
      await page.getByText(`${SAVED / 2} records were read.`).waitFor();
      await assertAccessibleInAllLooks(page, 'the end of an export');
      await page.getByRole('button', { name: 'Start another export' }).click();
      const ndjson = page.waitForEvent('download');
      await page.getByRole('button', { name: 'Export as NDJSON' }).click();
      const saved = (await textOf(await ndjson))
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as AuditRecord);
      assert.deepEqual(new Set(saved.map(({ subject }) => subject)), new Set(['setting:brand.name']));
      assert.equal(saved.length, SAVED / 2);
    }));

  it('can be cancelled in the middle of an export, and goes on where it was', () =>
    visited.visit(async ({ context, page }) => {
      await records(page).first().waitFor();
      let release: () => void = () => {};
      const held = new Promise<void>((resolve) => {
        release = resolve;
      });
      let asked = 0;
      await context.route(
        (url) => url.pathname === '/api/security/audit' && url.searchParams.get('page_size') === '250',
        async (route) => {
          asked += 1;
          const url = new URL(route.request().url());
          if (asked === 2) await held;
          url.searchParams.set('page_size', '20');
          await route.fulfill({ response: await route.fetch({ url: url.href }) }).catch(() => {});
        },
      );
      await page.getByRole('button', { name: 'Export…' }).click();
      await page.getByRole('button', { name: 'Export as NDJSON' }).click();
      await page.getByText(/20 of \d+/).waitFor();
      await page.getByRole('button', { name: 'Cancel' }).click();
      release();
      await page.getByText('The export was cancelled').waitFor();
      await page.getByText('20 records were read.').waitFor();
      const whole = page.waitForEvent('download');
      await page.getByRole('button', { name: 'Continue' }).click();
      const sequences = (await textOf(await whole))
        .trimEnd()
        .split('\n')
        .map((line) => (JSON.parse(line) as AuditRecord).sequence);
      assert.ok(sequences.length >= SAVED + 2);
      assert.deepEqual(
        sequences,
        sequences.map((_, index) => (sequences[0] ?? 0) - index),
      );
    }));

  it('says what failed, with the request’s id, and tries again', () =>
    failsInPlace(visited, '/api/security/audit', (page) => records(page).first().waitFor()));

  it('is closed to viewers', () => isClosedToViewers(visited, PATH));

  it('is accessible in light and dark colours and fits 360 pixels', () =>
    looksRight(visited, 'the audit trail', (page) => records(page).first().waitFor()));
});
