import assert from 'node:assert/strict';
import { submitCredentials } from '../support/browser.ts';
import { eventually } from '../support/eventually.ts';
import {
  changeIdentity,
  createAda,
  listRows,
  onEditForm,
  requestIdentity,
  save,
  searchField,
} from '../support/identity-pages.ts';
import { interceptedDashboardOfSuite, onPage } from '../support/intercepted-dashboard.ts';

describe('the page of an identity', () => {
  const intercepted = interceptedDashboardOfSuite({ env: { PROXY_REQUIRE_SESSION: 'true' } });

  it('still displays a new recovery code after the operator has pressed Back', async () => {
    const { traits } = await createAda(intercepted);
    await onPage(intercepted, '/identities', async ({ page }) => {
      await searchField(page).fill(String(traits.email));
      await listRows(page)
        .getByRole('link', { name: String(traits.email) })
        .click();
      await page.getByRole('button', { name: 'Create recovery code…', exact: true }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByRole('button', { name: 'Create code' }).click();
      await dialog.getByText('Shown once').waitFor();
      const address = page.url();
      await page.evaluate(
        () =>
          new Promise((resolve) => {
            addEventListener('popstate', resolve, { once: true });
            history.back();
          }),
      );
      await eventually(() => page.evaluate(() => location.href), address, 'the address is restored');
      assert.ok(await dialog.getByText('Shown once').isVisible());
      await dialog.getByRole('button', { name: 'I have passed it on' }).click();
      await dialog.waitFor({ state: 'detached' });
    });
  });

  it('restores unsaved changes after a sign-in, and still reports a conflict with another operator’s change', async () => {
    const { dashboard } = intercepted;
    const { id } = await createAda(intercepted);
    await onEditForm(
      intercepted,
      await requestIdentity(intercepted, id).then((response) => response.json()),
      async (visit) => {
        const { page, context, expect } = visit;
        expect(401, /\/identities\//);
        await page.getByLabel('First name').fill('Typed before the end');
        await context.clearCookies({ name: 'dashboard-session' });
        await save(page);
        await page.getByText('You are signed out').waitFor();
        await eventually(() => page.getByLabel('First name').inputValue(), 'Typed before the end');
        await changeIdentity(intercepted, id, { '/traits/name/first': 'Theirs' });
        await page.getByRole('button', { name: 'Sign in', exact: true }).click();
        await submitCredentials(page, dashboard.operator('admin'));
        await page.getByText('Your unsaved changes were restored').waitFor();
        await eventually(() => page.getByLabel('First name').inputValue(), 'Typed before the end');
        await save(page);
        await page.getByRole('dialog').getByText('Keep theirs').waitFor();
        await page
          .getByRole('dialog')
          .getByLabel(/Save yours/)
          .check();
        await page.getByRole('button', { name: 'Save selected' }).click();
        await page.getByText(/^Saved /).waitFor();
      },
    );
  });

  it('scrolls to the error of a failed save, above the sticky buttons', async () => {
    await onEditForm(intercepted, await createAda(intercepted), async ({ page, expect }) => {
      expect(429, /\/identities\//);
      intercepted.upstream.before = ({ method }) =>
        method === 'PATCH' ? { status: 429, body: '{"error":{"message":"Too many"}}' } : undefined;
      await page.getByLabel('Last name').fill('New');
      await page.setViewportSize({ width: 1280, height: 700 });
      await save(page);
      const [alert, buttons] = [page.getByRole('alert'), page.getByRole('button', { name: 'Save' })];
      await alert.waitFor();
      const isAbove = async (): Promise<boolean> => {
        const [note, button] = [await alert.boundingBox(), await buttons.boundingBox()];
        return note !== null && button !== null && note.y > 0 && note.y + note.height <= button.y;
      };
      await eventually(isAbove, true);
    });
  });
});
