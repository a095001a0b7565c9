import { becomes } from '../support/becomes.ts';
import { interceptedDashboardOfSuite, onPage } from '../support/intercepted-dashboard.ts';

describe('the social connections, in a browser', () => {
  const intercepted = interceptedDashboardOfSuite();

  it('are added and put in order by keyboard alone, and the focus stays with what was pressed', async () => {
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
        await becomes(() => buttons.allInnerTexts(), ['Continue with google']);
        await page.getByRole('button', { name: 'Add provider' }).press('Enter');
        const dialog = page.getByRole('dialog', { name: 'Add provider' });
        await dialog.getByLabel('Provider').selectOption('GitLab');
        await dialog.getByLabel('Client ID').fill('id-of-gitlab');
        await dialog.getByRole('textbox', { name: 'Client secret' }).fill('secret-of-gitlab');
        await dialog.getByLabel('Scopes').press('Enter');
        await dialog.waitFor({ state: 'detached' });
        await becomes(() => buttons.allInnerTexts(), ['Continue with google', 'Continue with GitLab']);
        await page.waitForFunction(() => document.activeElement?.textContent?.includes('Add provider'));
        await page.getByRole('button', { name: 'Move GitLab up' }).press('Enter');
        await page.getByRole('status').filter({ hasText: 'GitLab moved to position 1 of 2' }).waitFor();
        await becomes(() => buttons.allInnerTexts(), ['Continue with GitLab', 'Continue with google']);
        await becomes(() => page.evaluate(() => document.activeElement?.getAttribute('aria-label')), 'Move GitLab up');
      },
      { heading: 'Connections' },
    );
  });
});
