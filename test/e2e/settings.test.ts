import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { becomes } from '../support/becomes.ts';
import { needsChromium, type Visit } from '../support/browser.ts';
import { signedInVisit, submitCredentials } from '../support/browser-sign-in.ts';
import { type Dashboard, startDashboard } from '../support/dashboard.ts';

const SECRET = 'a-secret-that-nobody-guesses';

describe('the settings page, in a browser', () => {
  let dashboard: Dashboard;
  let session: string;
  before(async function () {
    needsChromium(this);
    dashboard = await startDashboard();
    session = await dashboard.signIn('admin');
    for (const key of ['brand.name', 'mail.from'])
      assert.ok((await dashboard.call('/api/settings', { session, json: { key, value: 'x' } })).ok);
  });
  after(() => dashboard?.close());

  const onSettings = (work: (visit: Visit) => Promise<void>): Promise<void> =>
    signedInVisit(dashboard, session, { path: '/settings', heading: 'Settings' }, work);
  const field = (page: Page, name: string) => page.getByRole('dialog').getByLabel(name).first();
  const link = (page: Page, key: string) => page.getByRole('link', { name: key, exact: true });

  it('stores an encrypted setting, reveals it by one request for 30 seconds, and finds it after a reload', () =>
    onSettings(async ({ page, context }) => {
      const decryptions: string[] = [];
      context.on('request', (request) => {
        if (request.url().includes('decrypt=true')) decryptions.push(request.url());
      });
      await page.clock.install();
      await page.getByRole('link', { name: 'New setting' }).click();
      await field(page, 'Key').fill('stored.here');
      await field(page, 'Value').fill(SECRET);
      await page.getByRole('switch', { name: 'Store encrypted' }).check();
      await page.getByRole('button', { name: 'Create' }).click();
      await page.getByText('stored.here is saved, encrypted').waitFor();
      assert.ok(!(await page.content()).includes(SECRET));

      await page.getByRole('button', { name: 'Reveal stored.here' }).click();
      await page.getByText(SECRET).waitFor();
      assert.equal(decryptions.length, 1);
      const hidden = (timeout: number): Promise<void> => page.getByText(SECRET).waitFor({ state: 'detached', timeout });
      await page.clock.fastForward(31_000);
      // The half minute begins once the value is rendered, which may have been after the clock was turned.
      await hidden(5_000).catch(() => page.clock.fastForward(31_000));
      await hidden(10_000);

      await page.reload();
      await link(page, 'stored.here').waitFor();
      assert.ok(!(await page.content()).includes(SECRET));
      const kept = await page.evaluate(() =>
        JSON.stringify([{ ...localStorage }, { ...sessionStorage }, location.href]),
      );
      assert.ok(!kept.includes(SECRET));
    }));

  it('is used by keyboard alone, to create a setting and to go from row to row', () =>
    onSettings(async ({ page }) => {
      await page.getByRole('link', { name: 'New setting' }).focus();
      await page.keyboard.press('Enter');
      await page.getByRole('dialog').waitFor();
      await page.waitForFunction(() => document.activeElement?.tagName === 'INPUT');
      await page.keyboard.type('typed.only');
      await page.keyboard.press('Tab');
      await page.keyboard.type('by keyboard');
      await page.keyboard.press('Tab');
      await page.keyboard.press('Tab');
      await page.keyboard.type('typed');
      await page.keyboard.press('Enter');
      await page.getByText('typed.only is saved').waitFor();
      const stored = (await (await dashboard.call('/api/settings/typed.only', { session })).json()) as object;
      assert.deepEqual(
        { ...stored, updated_at: '' },
        { key: 'typed.only', value: 'by keyboard', encrypted: false, category: 'typed', updated_at: '' },
      );
      await link(page, 'brand.name').focus();
      await page.keyboard.press('ArrowDown');
      await becomes(() => page.evaluate(() => document.activeElement?.textContent), 'mail.from');
      await page.keyboard.press('ArrowUp');
      await becomes(() => page.evaluate(() => document.activeElement?.textContent), 'brand.name');
    }));

  it('brings the form back after a sign-in in the same tab, but no secret', () =>
    onSettings(async ({ page, context, expect }) => {
      expect(401, '/api/settings');
      await page.goto(`${dashboard.baseUrl}/settings?new=true&category=mail`);
      await field(page, 'Key').fill('draft.key');
      await field(page, 'Value').fill(SECRET);
      await page.getByRole('switch', { name: 'Store encrypted' }).check();
      await context.clearCookies({ name: 'dashboard-session' });
      await page.getByRole('button', { name: 'Create' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Sign in' }).click();
      await submitCredentials(page, dashboard.operator('admin'));
      await page.getByText('Your unsaved changes were restored').waitFor();
      await becomes(() => new URL(page.url()).searchParams.get('category'), 'mail');
      await becomes(() => field(page, 'Key').inputValue(), 'draft.key');
      await becomes(() => field(page, 'Value').inputValue(), '');
    }));
});
