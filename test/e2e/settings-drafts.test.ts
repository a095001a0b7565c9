import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { assertAccessible } from '../support/axe.ts';
import { becomes } from '../support/becomes.ts';
import { needsChromium, type Visit } from '../support/browser.ts';
import { signedInVisit, submitCredentials } from '../support/browser-sign-in.ts';
import { type Dashboard, startDashboard } from '../support/dashboard.ts';

const SECRET = 'a-secret-that-nobody-guesses';

describe('what is typed into the form of a setting, in a browser', () => {
  let dashboard: Dashboard;
  let session: string;
  before(async function () {
    needsChromium(this);
    dashboard = await startDashboard();
    session = await dashboard.signIn('admin');
    const json = { key: 'brand.name', value: 'Example' };
    assert.equal((await dashboard.call('/api/settings', { session, json })).status, 201);
  });
  after(() => dashboard?.close());

  const onSettings = (work: (visit: Visit) => Promise<void>): Promise<void> =>
    signedInVisit(dashboard, session, { path: '/settings', heading: 'Settings' }, work);
  const field = (page: Page, name: string) => page.getByRole('dialog').getByLabel(name).first();

  it('asks before it drops what was typed, also on the way back', () =>
    onSettings(async ({ page }) => {
      await page.getByRole('link', { name: 'New setting' }).click();
      await field(page, 'Key').fill('half.typed');
      await page.goBack();
      await page.getByRole('heading', { name: 'Leave without saving?' }).waitFor();
      await page.getByRole('button', { name: 'Stay', exact: true }).last().click();
      await becomes(() => field(page, 'Key').inputValue(), 'half.typed');
      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: 'Discard changes' }).click();
      await page.getByRole('dialog').first().waitFor({ state: 'detached' });
    }));

  it('keeps the form when the session ends under it, and saves after a sign-in in another tab', () =>
    onSettings(async ({ page, context, expect }) => {
      expect(401, '/api/settings');
      await page.goto(`${dashboard.baseUrl}/settings?key=brand.name`);
      await field(page, 'Value').fill('Typed before the end');
      await context.clearCookies({ name: 'dashboard-session' });
      await page.getByRole('button', { name: 'Save' }).click();
      const notice = page.getByRole('dialog').getByRole('alert');
      await notice.getByText('You are signed out').waitFor();
      await becomes(() => field(page, 'Value').inputValue(), 'Typed before the end');
      await assertAccessible(page, 'the form after the end of the session');

      const [tab] = await Promise.all([
        context.waitForEvent('page'),
        notice.getByRole('link', { name: 'Sign in in a new tab' }).click(),
      ]);
      await submitCredentials(tab, dashboard.operator('admin'));
      await tab.getByRole('heading', { name: 'Overview' }).waitFor();
      await tab.close();
      await page.bringToFront();
      await page.evaluate(() => dispatchEvent(new Event('focus')));
      await notice.waitFor({ state: 'detached' });
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('brand.name is saved').waitFor();
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
