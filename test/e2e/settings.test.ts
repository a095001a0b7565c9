import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { submitCredentials } from '../support/browser.ts';
import { eventually } from '../support/eventually.ts';
import { interceptedDashboardOfSuite, onPage } from '../support/intercepted-dashboard.ts';

const SECRET = 'a-secret-that-cannot-be-guessed';

describe('the settings page', () => {
  const suite = interceptedDashboardOfSuite();
  const field = (page: Page, name: string) => page.getByRole('dialog').getByLabel(name).first();
  const link = (page: Page, key: string) => page.getByRole('link', { name: key, exact: true });

  it('stores an encrypted setting, reveals it for 30 seconds, and lists it after a reload', () =>
    onPage(suite, '/settings', async ({ page, context }) => {
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
      await page.getByText(/^(?:Created|Saved) stored\.here, encrypted/).waitFor();
      assert.ok(!(await page.content()).includes(SECRET));

      await page.getByRole('button', { name: 'Reveal stored.here' }).click();
      await page.getByText(SECRET).waitFor();
      assert.equal(decryptions.length, 1);
      const hidden = (timeout: number): Promise<void> => page.getByText(SECRET).waitFor({ state: 'detached', timeout });
      await page.clock.fastForward(31_000);
      // The 30 seconds start when the value is rendered, which may be after the clock was moved.
      await hidden(5_000).catch(() => page.clock.fastForward(31_000));
      await hidden(10_000);

      await page.reload();
      await link(page, 'stored.here').waitFor();
      assert.ok(!(await page.content()).includes(SECRET));
      const stored = await page.evaluate(() =>
        JSON.stringify([{ ...localStorage }, { ...sessionStorage }, location.href]),
      );
      assert.ok(!stored.includes(SECRET));
    }));

  it('restores the form after a sign-in in the same tab, except the secret', () =>
    onPage(suite, '/settings?new=true&category=mail', async ({ page, context, expect }) => {
      expect(401, '/api/settings');
      await field(page, 'Key').fill('draft.key');
      await field(page, 'Value').fill(SECRET);
      await page.getByRole('switch', { name: 'Store encrypted' }).check();
      await context.clearCookies({ name: 'dashboard-session' });
      await page.getByRole('button', { name: 'Create' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Sign in' }).click();
      await submitCredentials(page, suite.dashboard.operator('admin'));
      await page.getByText('Your unsaved changes were restored').waitFor();
      await eventually(() => new URL(page.url()).searchParams.get('category'), 'mail');
      await eventually(() => field(page, 'Key').inputValue(), 'draft.key');
      await eventually(() => field(page, 'Value').inputValue(), '');
    }));
});
