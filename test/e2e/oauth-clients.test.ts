import { eventually } from '../support/eventually.ts';
import { interceptedDashboardOfSuite, onPage } from '../support/intercepted-dashboard.ts';
import { createClient, requestClient, save } from '../support/oauth-client-pages.ts';

describe('OAuth2 clients', () => {
  const intercepted = interceptedDashboardOfSuite({ service: 'OAUTH_ADMIN_URL' });

  it('can be opened, edited, reloaded and deleted even if their id is a URL', async () => {
    const id = 'https://app.example/client?a=b;c#d%2F';
    await createClient(intercepted, { client_id: id, client_name: 'By address' });
    const address = `/oauth/clients/~${Buffer.from(id).toString('base64url')}`;
    await onPage(intercepted, { path: address, heading: 'By address' }, async ({ page }) => {
      await page.getByRole('main').getByRole('link', { name: 'Edit' }).click();
      await page.getByLabel('Owner').fill('me');
      await save(page);
      await page.getByText('Owned by me').waitFor();
      await eventually(() => new URL(page.url()).pathname, address);
      await page.reload();
      await page.getByText('Owned by me').waitFor();
      await page.getByRole('button', { name: 'More actions' }).click();
      await page.getByRole('menuitem', { name: 'Delete client…' }).click();
      const dialog = page.getByRole('dialog', { name: 'Delete By address?' });
      await dialog.getByText('Applications can no longer sign anyone in').waitFor();
      await dialog.getByLabel('to confirm').fill(id);
      await dialog.getByRole('button', { name: 'Delete client' }).click();
      await page.getByRole('heading', { level: 1, name: 'Clients' }).waitFor();
      await page.getByText('Deleted By address', { exact: true }).waitFor();
    });
    await eventually(async () => (await requestClient(intercepted, id)).status, 404);
  });
});
