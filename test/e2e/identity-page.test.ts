import assert from 'node:assert/strict';
import { eventually } from '../support/eventually.ts';
import { createPerson, type Person } from '../support/identity-pages.ts';
import { interceptedDashboardOfSuite, onPage } from '../support/intercepted-dashboard.ts';

describe('the page of an identity', () => {
  const suite = interceptedDashboardOfSuite();
  let ada: Person;
  before(async () => {
    ada = await createPerson(suite);
  });

  it('copies the identity as JSON', () =>
    onPage(suite, { path: `/identities/${ada.id}`, heading: ada.name }, async ({ page, context }) => {
      await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: suite.dashboard.baseUrl });
      await page.getByRole('button', { name: 'More actions' }).click();
      await page.getByRole('menuitem', { name: 'Copy as JSON' }).click();
      await eventually(() => page.evaluate(() => navigator.clipboard.readText()), new RegExp(ada.id));
    }));

  it('filters its timeline by kind with the keyboard, keeps the filter on reload, and links to an audit record', () =>
    onPage(suite, { path: `/identities/${ada.id}`, heading: ada.name }, async ({ page }) => {
      const choice = (kind: string) =>
        page.getByRole('group', { name: 'Show' }).getByRole('button', { name: kind, exact: true });
      const lines = page.locator('[data-timeline] li');
      const count = (): Promise<number> => lines.count();
      await page.getByRole('link', { name: 'Timeline', exact: true }).press('Enter');
      await page.getByRole('heading', { level: 2, name: /^Today, \d/ }).waitFor();
      await page.getByText(/^\d+ events, all that could be loaded$/).waitFor();
      const all = await count();
      await choice('Changes here').focus();
      await page.keyboard.press('Enter');
      await eventually(count, 1);
      await eventually(() => new URL(page.url()).search, '?kind=trail');
      await eventually(() => choice('Changes here').getAttribute('aria-pressed'), 'true');
      await page.reload();
      await eventually(count, 1);
      await choice('Everything').press('Enter');
      await eventually(count, all);
      assert.equal(new URL(page.url()).search, '');
      await lines.getByRole('link', { name: /^Record \d+$/ }).press('Enter');
      await page.getByRole('heading', { level: 1, name: 'Audit trail' }).waitFor();
      const records = page.getByRole('list', { name: 'Records, newest first' }).getByRole('listitem');
      await eventually(() => records.count(), 1);
    }));
});
