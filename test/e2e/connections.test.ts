import assert from 'node:assert/strict';
import { submitCredentials } from '../support/browser.ts';
import { eventually } from '../support/eventually.ts';
import { interceptedDashboardOfSuite, onPage } from '../support/intercepted-dashboard.ts';

const SECRET = 'secret-as-typed';

describe('the connections page', () => {
  const intercepted = interceptedDashboardOfSuite();

  it('adds and reorders providers by keyboard, and returns the focus to the pressed button', async () => {
    const { call } = intercepted.dashboard;
    const session = intercepted.sessions.admin;
    for (const [key, value] of Object.entries({
      'social.google.client_id': 'id-of-google',
      'social.google.client_secret': 'secret-of-google',
      'social.google.enabled': 'true',
      'social.order': 'google',
    }))
      await call('/api/settings', { session, json: { key, value, category: 'social' } });
    await onPage(
      intercepted,
      '/connections',
      async ({ page }) => {
        const buttons = page.getByRole('list', { name: 'Login buttons' }).getByRole('listitem');
        await eventually(() => buttons.allInnerTexts(), ['Continue with google']);
        await page.getByRole('button', { name: 'Add provider' }).press('Enter');
        const dialog = page.getByRole('dialog', { name: 'Add provider' });
        await dialog.getByLabel('Provider').selectOption('GitLab');
        await dialog.getByLabel('Client ID').fill('id-of-gitlab');
        await dialog.getByRole('textbox', { name: 'Client secret' }).fill('secret-of-gitlab');
        await dialog.getByLabel('Scopes').press('Enter');
        await dialog.waitFor({ state: 'detached' });
        await eventually(() => buttons.allInnerTexts(), ['Continue with google', 'Continue with GitLab']);
        await page.waitForFunction(() => document.activeElement?.textContent?.includes('Add provider'));
        await page.getByRole('button', { name: 'Move GitLab up' }).press('Enter');
        await page.getByRole('status').filter({ hasText: 'GitLab moved to position 1 of 2' }).waitFor();
        await eventually(() => buttons.allInnerTexts(), ['Continue with GitLab', 'Continue with google']);
        await eventually(
          () => page.evaluate(() => document.activeElement?.getAttribute('aria-label')),
          'Move GitLab up',
        );
      },
      { heading: 'Connections' },
    );
  });

  for (const [what, button, title] of [
    ['a new provider', 'Add provider', 'Add provider'],
    ['an existing provider', 'Edit Google', 'Edit Google'],
  ] as const)
    it(`restores the typed values of ${what}, except the secret, after a sign-in in the same tab`, async () => {
      const { call, operator } = intercepted.dashboard;
      const session = intercepted.sessions.admin;
      await call('/api/settings', { session, json: { key: 'social.google.client_id', value: 'id-of-google' } });
      await onPage(
        intercepted,
        '/connections',
        async ({ page, context, expect }) => {
          expect(401, '/api/settings');
          await page.getByRole('button', { name: button }).click();
          const dialog = page.getByRole('dialog', { name: title });
          if (button === 'Add provider') await dialog.getByLabel('Provider').selectOption('Apple');
          await dialog.getByLabel('Client ID').fill('id-as-typed');
          await dialog.getByRole('textbox', { name: 'Client secret' }).fill(SECRET);
          await context.clearCookies({ name: 'dashboard-session' });
          await dialog.getByRole('button', { name: 'Save' }).click();
          await dialog.getByRole('button', { name: 'Sign in', exact: true }).click();
          await submitCredentials(page, operator('admin'));
          await dialog.getByText('Your unsaved changes were restored').waitFor();
          await eventually(() => dialog.getByLabel('Client ID').inputValue(), 'id-as-typed');
          await eventually(() => dialog.getByRole('textbox', { name: 'Client secret' }).inputValue(), '');
          if (button === 'Add provider') await eventually(() => dialog.getByLabel('Provider').inputValue(), 'apple');
          assert.ok(!(await page.evaluate(() => JSON.stringify({ ...sessionStorage }))).includes('id-as-typed'));
        },
        { heading: 'Connections' },
      );
    });
});
