import assert from 'node:assert/strict';
import { assertAccessibleInAllLooks } from '../support/axe.ts';
import { becomes } from '../support/becomes.ts';
import { create, rows } from '../support/identity-pages.ts';
import { indexIsRead } from '../support/index-is-read.ts';
import { interceptedDashboardOfSuite, onPage } from '../support/intercepted-dashboard.ts';
import {
  currentView,
  isFocused,
  nameField,
  openedMenu,
  query,
  save,
  saveAs,
  storedViews,
  storeViews,
  VIEWS,
  viewsButton,
  viewsMenu,
} from '../support/view-pages.ts';

describe('views of lists, in a browser', function () {
  this.timeout(90_000);
  const intercepted = interceptedDashboardOfSuite({ people: 30 });
  before(async () => {
    for (const name of ['One', 'Two', 'Three'])
      await create(intercepted, {
        schema_id: 'customer',
        state: 'inactive',
        traits: { email: `sleeping-${name.toLowerCase()}@example.org`, name: { first: 'Sleeping', last: name } },
      });
    await indexIsRead(intercepted.dashboard, intercepted.sessions.admin);
  });
  beforeEach(() => storeViews(intercepted));

  it('are saved, chosen, renamed, updated and deleted, and everything of them stands in the address', () =>
    onPage(
      intercepted,
      '/identities?q=sleeping&sort=identifier&page_size=50',
      async ({ page }) => {
        await becomes(() => rows(page).count(), 3);
        await saveAs(page, '  Sleeping  ');
        await becomes(() => currentView(page).textContent(), 'Sleeping');
        await becomes(() => isFocused(viewsButton(page)), true, 'the focus is back');
        await becomes(async () => (await storedViews(intercepted)).length, 1);
        const [saved] = await storedViews(intercepted);
        assert.deepEqual(saved, {
          ...saved,
          resource: 'identities',
          name: 'Sleeping',
          search: 'q=sleeping&sort=identifier',
        });
        await page.reload();
        await becomes(() => currentView(page).textContent(), 'Sleeping');

        await page.goto(`${intercepted.dashboard.baseUrl}/identities?state=inactive`);
        await becomes(() => currentView(page).textContent(), 'Inactive', 'one that everybody has');
        const list = await openedMenu(page);
        await becomes(() => list.getByRole('link', { name: 'Sleeping' }).textContent(), 'Sleeping3');
        await becomes(() => list.getByRole('link', { name: /^Inactive/ }).getAttribute('aria-current'), 'page');
        assert.equal(await list.getByRole('link').count(), 6);
        assert.equal(await list.getByRole('button', { name: /^Change/ }).count(), 1, 'only own ones can be changed');
        await assertAccessibleInAllLooks(page, 'the menu of views');
        await list.getByRole('link', { name: 'Sleeping' }).click();
        await becomes(() => query(page), '?q=sleeping&sort=identifier');
        await becomes(() => currentView(page).textContent(), 'Sleeping');
        await becomes(() => viewsMenu(page).count(), 0);
        await becomes(() => rows(page).count(), 3);
        await page.goBack();
        await becomes(() => currentView(page).textContent(), 'Inactive');
        await page.goForward();
        await becomes(() => currentView(page).textContent(), 'Sleeping');

        await page.goto(`${intercepted.dashboard.baseUrl}/identities?q=sleeping-t`);
        await becomes(() => rows(page).count(), 2);
        await becomes(() => currentView(page).count(), 0);
        await (await openedMenu(page)).getByRole('button', { name: 'Change Sleeping' }).click();
        await nameField(page).fill('New this WEEK');
        await save(page);
        await page.getByText('Another view of this list has this name.').waitFor();
        await nameField(page).fill('Only T');
        await page.getByLabel('Update to what the list shows now').check();
        await assertAccessibleInAllLooks(page, 'the dialog of a view');
        await save(page);
        await becomes(() => currentView(page).textContent(), 'Only T');
        await becomes(() => storedViews(intercepted), [{ ...saved, name: 'Only T', search: 'q=sleeping-t' }]);

        await (await openedMenu(page)).getByRole('button', { name: 'Change Only T' }).click();
        await page.getByRole('button', { name: 'Delete', exact: true }).click();
        await page.getByText('View “Only T” deleted.').waitFor();
        await becomes(() => currentView(page).count(), 0);
        await becomes(() => storedViews(intercepted), []);
        await becomes(() => isFocused(viewsButton(page)), true, 'the focus is back');
      },
      { heading: 'Identities' },
    ));

  it('carry the columns, which a link shows to whoever has others', () =>
    onPage(
      intercepted,
      '/identities?q=sleeping',
      async ({ page }) => {
        const heads = async (): Promise<string[]> =>
          (await page.getByRole('columnheader').allTextContents()).map((text) => text.replace(/\W+$/, '').trim());
        const columns = page.getByRole('button', { name: 'Columns', exact: true });
        await becomes(() => rows(page).count(), 3);
        await columns.click();
        await page.getByRole('checkbox', { name: 'Created', exact: true }).uncheck();
        await page.getByRole('checkbox', { name: 'Schema' }).check();
        await saveAs(page, 'With schema');
        await becomes(() => query(page), '?columns=name%2Cschema%2Csign-in&q=sleeping');
        await becomes(() => currentView(page).textContent(), 'With schema');
        await becomes(
          async () => (await storedViews(intercepted)).map(({ search }) => search),
          ['columns=name%2Cschema%2Csign-in&q=sleeping'],
        );
        const shown = await heads();
        assert.ok(shown.includes('Schema') && !shown.includes('Created'), String(shown));

        await page.evaluate(() => localStorage.clear());
        await page.reload();
        await becomes(heads, shown);
        await columns.click();
        await page.getByRole('checkbox', { name: 'Schema' }).uncheck();
        await becomes(() => query(page), '?columns=name%2Csign-in&q=sleeping');
        await becomes(() => currentView(page).count(), 0);
        await page.getByRole('button', { name: 'Reset', exact: true }).click();
        await becomes(() => query(page), '?q=sleeping');
        await becomes(async () => (await heads()).includes('Created'), true, 'the own columns are as they were');
      },
      { heading: 'Identities' },
    ));

  for (const [resource, path, heading] of [
    ['sessions', '/sessions?active=true', 'Sessions'],
    ['clients', '/oauth/clients?columns=none', 'OAuth2 clients'],
    ['audit', '/security/audit?action=login', 'Audit trail'],
  ] as const)
    it(`are there for ${resource}, too`, () =>
      onPage(
        intercepted,
        path,
        async ({ page }) => {
          await saveAs(page, `Of ${resource}`);
          await becomes(() => currentView(page).textContent(), `Of ${resource}`);
          await becomes(
            async () => (await storedViews(intercepted)).map((view) => [view.resource, `?${view.search}`]),
            [[resource, new URL(path, 'http://localhost').search]],
          );
          await page.goto(intercepted.dashboard.baseUrl + path.replace(/\?.*/, ''));
          await becomes(() => currentView(page).count(), 0);
          const list = await openedMenu(page);
          await assertAccessibleInAllLooks(page, `the views of ${resource}`);
          await list.getByRole('link', { name: `Of ${resource}` }).click();
          await becomes(() => currentView(page).textContent(), `Of ${resource}`);
          assert.equal(new URL(path, 'http://localhost').search, query(page));
        },
        { heading },
      ));

  it('are all kept when two tabs change them, and one tab says what it could not do', () =>
    onPage(
      intercepted,
      '/identities?state=inactive&q=a',
      async ({ page, context, expect }) => {
        expect(412, VIEWS);
        const other = await context.newPage();
        await other.goto(`${intercepted.dashboard.baseUrl}/identities?state=active&q=b`);
        for (const tab of [page, other]) {
          await openedMenu(tab);
          await tab.getByText('Save as view…').waitFor();
          await tab.keyboard.press('Escape');
        }
        // A view is shown before it is stored.
        const stored = async () => (await storedViews(intercepted)).map(({ name }) => name);
        await saveAs(page, 'Of one tab');
        await becomes(stored, ['Of one tab']);
        await saveAs(other, 'Of the other');
        await becomes(stored, ['Of one tab', 'Of the other']);
        await becomes(() => currentView(other).textContent(), 'Of the other');

        await (await openedMenu(page)).getByRole('button', { name: 'Change Of one tab' }).click();
        await (await openedMenu(other)).getByRole('button', { name: 'Change Of one tab' }).click();
        await other.getByRole('button', { name: 'Delete', exact: true }).click();
        await other.getByText('View “Of one tab” deleted.').waitFor();
        await nameField(page).fill('Renamed');
        await save(page);
        await page.getByText('This view was deleted in another tab or browser.').waitFor();
        await page.getByRole('button', { name: 'Cancel' }).click();
        assert.deepEqual(await stored(), ['Of the other']);
        const list = await openedMenu(page);
        await becomes(() => list.getByRole('link', { name: 'Of one tab' }).count(), 0);
        await list.getByRole('link', { name: 'Of the other' }).waitFor();
        await other.close();
      },
      { heading: 'Identities' },
    ));
});
