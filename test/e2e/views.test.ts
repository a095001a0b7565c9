import assert from 'node:assert/strict';
import type { Locator, Page } from 'playwright-core';
import type { SavedView, ViewResource } from '../../shared/views.ts';
import { assertAccessibleInAllLooks } from '../support/axe.ts';
import { becomes } from '../support/becomes.ts';
import { create, rows } from '../support/identity-pages.ts';
import { indexIsRead } from '../support/index-is-read.ts';
import { interceptedDashboardOfSuite, onPage } from '../support/intercepted-dashboard.ts';

const VIEWS = '/api/dashboard/views';
const COUNT = '/api/identities/search/count';

const viewOf = (resource: ViewResource, id: string, name: string, search: string): SavedView => ({
  id,
  resource,
  name,
  search,
});

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
  beforeEach(() => store());

  const call = (init: object = {}) =>
    intercepted.dashboard.call(VIEWS, { session: intercepted.sessions.admin, ...init });
  const stored = async (): Promise<SavedView[]> => ((await (await call()).json()) as { views: SavedView[] }).views;
  const store = async (...views: SavedView[]): Promise<void> =>
    assert.equal((await call({ method: 'PUT', json: { views } })).status, 200);
  const storedNames = async (): Promise<string[]> => (await stored()).map(({ name }) => name);

  const button = (page: Page): Locator => page.getByRole('button', { name: 'Views', exact: true });
  const menu = (page: Page): Locator => page.getByRole('region', { name: /^Views of / });
  const current = (page: Page): Locator => page.getByTitle('The view that is shown');
  const opened = async (page: Page): Promise<Locator> => {
    await button(page).click();
    await menu(page).waitFor();
    return menu(page);
  };
  const save = (page: Page): Promise<void> => page.getByRole('button', { name: 'Save', exact: true }).click();
  const nameField = (page: Page): Locator => page.getByRole('dialog').getByLabel('Name', { exact: true });
  const saveAs = async (page: Page, name: string): Promise<void> => {
    await (await opened(page)).getByRole('button', { name: 'Save as view…' }).click();
    await nameField(page).fill(name);
    await save(page);
  };
  const query = (page: Page): string => new URL(page.url()).search;
  const isFocused = (what: Locator): Promise<boolean> => what.evaluate((one) => one === document.activeElement);

  it('are saved, chosen, renamed, updated and deleted, and everything of them stands in the address', () =>
    onPage(
      intercepted,
      '/identities?q=sleeping&sort=identifier&page_size=50',
      async ({ page }) => {
        await becomes(() => rows(page).count(), 3);
        await saveAs(page, '  Sleeping  ');
        await becomes(() => current(page).textContent(), 'Sleeping');
        await becomes(() => isFocused(button(page)), true, 'the focus is back');
        const [saved, ...others] = await stored();
        assert.deepEqual(others, []);
        assert.deepEqual(saved, {
          ...saved,
          resource: 'identities',
          name: 'Sleeping',
          search: 'q=sleeping&sort=identifier',
        });
        await page.reload();
        await becomes(() => current(page).textContent(), 'Sleeping');

        await page.goto(`${intercepted.dashboard.baseUrl}/identities?state=inactive`);
        await becomes(() => current(page).textContent(), 'Inactive', 'one that everybody has');
        const list = await opened(page);
        await becomes(() => list.getByRole('link', { name: 'Sleeping' }).textContent(), 'Sleeping3');
        await becomes(() => list.getByRole('link', { name: /^Inactive/ }).getAttribute('aria-current'), 'page');
        assert.equal(await list.getByRole('link').count(), 6);
        assert.equal(await list.getByRole('button', { name: /^Change/ }).count(), 1, 'only own ones can be changed');
        await assertAccessibleInAllLooks(page, 'the menu of views');
        await list.getByRole('link', { name: 'Sleeping' }).click();
        await becomes(() => query(page), '?q=sleeping&sort=identifier');
        await becomes(() => current(page).textContent(), 'Sleeping');
        await becomes(() => menu(page).count(), 0);
        await becomes(() => rows(page).count(), 3);
        await page.goBack();
        await becomes(() => current(page).textContent(), 'Inactive');
        await page.goForward();
        await becomes(() => current(page).textContent(), 'Sleeping');

        await page.goto(`${intercepted.dashboard.baseUrl}/identities?q=sleeping-t`);
        await becomes(() => rows(page).count(), 2);
        await becomes(() => current(page).count(), 0);
        await (await opened(page)).getByRole('button', { name: 'Change Sleeping' }).click();
        await nameField(page).fill('New this WEEK');
        await save(page);
        await page.getByText('Another view of this list has this name.').waitFor();
        await nameField(page).fill('Only T');
        await page.getByLabel('Update to what the list shows now').check();
        await assertAccessibleInAllLooks(page, 'the dialog of a view');
        await save(page);
        await becomes(() => current(page).textContent(), 'Only T');
        assert.deepEqual(await stored(), [{ ...saved, name: 'Only T', search: 'q=sleeping-t' }]);

        await (await opened(page)).getByRole('button', { name: 'Change Only T' }).click();
        await page.getByRole('button', { name: 'Delete', exact: true }).click();
        await page.getByText('View “Only T” deleted.').waitFor();
        await becomes(() => current(page).count(), 0);
        assert.deepEqual(await stored(), []);
        await becomes(() => isFocused(button(page)), true, 'the focus is back');
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
        await becomes(() => current(page).textContent(), 'With schema');
        assert.deepEqual(
          (await stored()).map(({ search }) => search),
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
        await becomes(() => current(page).count(), 0);
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
          await becomes(() => current(page).textContent(), `Of ${resource}`);
          assert.deepEqual(
            (await stored()).map((view) => [view.resource, `?${view.search}`]),
            [[resource, new URL(path, 'http://localhost').search]],
          );
          await page.goto(intercepted.dashboard.baseUrl + path.replace(/\?.*/, ''));
          await becomes(() => current(page).count(), 0);
          const list = await opened(page);
          await assertAccessibleInAllLooks(page, `the views of ${resource}`);
          await list.getByRole('link', { name: `Of ${resource}` }).click();
          await becomes(() => current(page).textContent(), `Of ${resource}`);
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
          await opened(tab);
          await tab.getByText('Save as view…').waitFor();
          await tab.keyboard.press('Escape');
        }
        await saveAs(page, 'Of one tab');
        await current(page).waitFor();
        await saveAs(other, 'Of the other');
        await becomes(() => current(other).textContent(), 'Of the other');
        assert.deepEqual(await storedNames(), ['Of one tab', 'Of the other']);

        await (await opened(page)).getByRole('button', { name: 'Change Of one tab' }).click();
        await (await opened(other)).getByRole('button', { name: 'Change Of one tab' }).click();
        await other.getByRole('button', { name: 'Delete', exact: true }).click();
        await other.getByText('View “Of one tab” deleted.').waitFor();
        await nameField(page).fill('Renamed');
        await save(page);
        await page.getByText('This view was deleted in another tab or browser.').waitFor();
        await page.getByRole('button', { name: 'Cancel' }).click();
        assert.deepEqual(await storedNames(), ['Of the other']);
        const list = await opened(page);
        await becomes(() => list.getByRole('link', { name: 'Of one tab' }).count(), 0);
        await list.getByRole('link', { name: 'Of the other' }).waitFor();
        await other.close();
      },
      { heading: 'Identities' },
    ));

  it('say before saving that there is nothing to save, or that there are as many as there can be', () =>
    onPage(
      intercepted,
      '/identities',
      async ({ page }) => {
        const saves = page.getByRole('button', { name: 'Save as view…' });
        await opened(page);
        await becomes(() => saves.getAttribute('title'), 'There is no filter, order or choice of columns to save.');
        await store(
          ...Array.from({ length: 50 }, (_, index) => viewOf('sessions', `v${index}`, `V ${index}`, 'active=true')),
        );
        await page.goto(`${intercepted.dashboard.baseUrl}/identities?state=inactive&q=x`);
        await opened(page);
        await becomes(
          () => saves.getAttribute('title'),
          'You have 50 views, as many as there can be. Delete one first.',
        );
        await menu(page).getByText('50 of 50 views').waitFor();
        await page.keyboard.press('Escape');
        await becomes(() => menu(page).count(), 0);
        await becomes(() => isFocused(button(page)), true);
      },
      { heading: 'Identities' },
    ));

  it('are counted when the menu opens, and not before', async () => {
    await store(viewOf('identities', 'a', 'Sleeping', 'q=sleeping'));
    await onPage(
      intercepted,
      '/identities?q=sleeping',
      async ({ page }) => {
        const counts: string[] = [];
        page.on('request', (request) => {
          const { pathname, search } = new URL(request.url());
          if (pathname === COUNT) counts.push(search);
        });
        await becomes(() => current(page).textContent(), 'Sleeping');
        assert.deepEqual(counts, []);
        const sleeping = page.getByRole('link', { name: /^Sleeping/ }).and(menu(page).getByRole('link'));
        await opened(page);
        await becomes(() => sleeping.textContent(), 'Sleeping3');
        await becomes(() => counts.length, 6);
        await button(page).click();
        await becomes(() => menu(page).count(), 0);
        await opened(page);
        await becomes(() => sleeping.textContent(), 'Sleeping3');
        assert.equal(counts.length, 6, 'at most once a minute');
      },
      { heading: 'Identities' },
    );
  });

  it('are in the palette by name, and Enter goes there', async () => {
    await store(
      viewOf('identities', 'a', 'Those who sleep', 'q=sleeping'),
      viewOf('audit', 'b', 'Sign-ins of today', 'action=login'),
    );
    const command = (page: Page, name: string): Locator => page.getByRole('option', { name });
    await onPage(intercepted, '/dashboard', async ({ page }) => {
      for (const [typed, name, address] of [
        ['without a ver', 'Without a verified address', '/identities?verified=no'],
        ['who sleep', 'Those who sleep', '/identities?q=sleeping'],
        ['of today', 'Sign-ins of today', '/security/audit?action=login'],
      ] as const) {
        await page.keyboard.press('Control+k');
        await page.getByPlaceholder('Page or action').fill(typed);
        await becomes(() => command(page, name).getAttribute('aria-selected'), 'true');
        await page.keyboard.press('Enter');
        await becomes(() => new URL(page.url()).pathname + query(page), address);
      }
    });
    await onPage(
      intercepted,
      '/dashboard',
      async ({ page }) => {
        await page.keyboard.press('Control+k');
        await page.getByPlaceholder('Page or action').fill('overview');
        await command(page, 'Overview').waitFor();
        await page.getByPlaceholder('Page or action').fill('inactive');
        await page.getByText('No results').waitFor();
      },
      { role: 'viewer' },
    );
  });

  it('stay on a screen of 390 pixels, with names of any length', async () => {
    await store(viewOf('identities', 'a', 'w'.repeat(60), 'q=sleeping'));
    await onPage(
      intercepted,
      '/identities?q=sleeping',
      async ({ page }) => {
        await becomes(() => current(page).textContent(), 'w'.repeat(60));
        const list = await opened(page);
        await list.getByRole('link', { name: 'www' }).waitFor();
        for (const part of [list, button(page), current(page)]) {
          const { x = -1, width = 0 } = (await part.boundingBox()) ?? {};
          assert.ok(x >= 0 && x + width <= 390, `${x} + ${width}`);
        }
        assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390);
      },
      { heading: 'Identities', viewport: { width: 390, height: 844 } },
    );
  });
});
