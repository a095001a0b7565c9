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

  it('copies the identity as JSON, and prints every fact in light colours, without navigation or buttons', () =>
    onPage(
      suite,
      `/identities/${ada.id}`,
      async ({ page, context }) => {
        await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: suite.dashboard.baseUrl });
        await page.getByRole('button', { name: 'More actions' }).click();
        await page.getByRole('menuitem', { name: 'Copy as JSON' }).click();
        await eventually(() => page.evaluate(() => navigator.clipboard.readText()), new RegExp(ada.id));

        await page.getByRole('heading', { name: 'Addresses' }).waitFor();
        await eventually(() => page.locator('[aria-busy=true]').count(), 0);
        const facts = (): Promise<string[]> =>
          page.locator('main dd').evaluateAll((all) => all.map((fact) => (fact as HTMLElement).innerText.trim()));
        const onScreen = await facts();
        assert.ok(onScreen.length > 3);
        await page.emulateMedia({ media: 'print' });
        for (const selector of ['nav', 'button', 'header', '[role="menu"]', 'main a.mantine-Button-root'])
          await eventually(() => page.locator(`${selector}:visible`).count(), 0, selector);
        await eventually(facts, onScreen);
        // The exact time is printed beside the relative one.
        const hasExactTime = (): Promise<boolean> =>
          page
            .locator('main time')
            .first()
            .evaluate((time) => getComputedStyle(time, '::after').content !== 'none');
        await eventually(hasExactTime, true);
        const sheet = (): Promise<string> => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
        await eventually(sheet, 'rgb(255, 255, 255)');
        for (const selector of ['main dd', 'main h1']) {
          const isDark = (): Promise<boolean> =>
            page
              .locator(selector)
              .first()
              .evaluate((element) =>
                (getComputedStyle(element).color.match(/\d+/g) ?? []).slice(0, 3).every((part) => Number(part) < 90),
              );
          await eventually(isDark, true, selector);
        }
        await eventually(async () => ((await page.locator('main h1').boundingBox())?.x ?? 99) < 20, true);
        await page.emulateMedia({ media: null });
      },
      { colorScheme: 'dark', heading: ada.name },
    ));

  it('filters its timeline by kind with the keyboard, keeps the filter on reload, and links to an audit record', () =>
    onPage(
      suite,
      `/identities/${ada.id}`,
      async ({ page }) => {
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
      },
      { heading: ada.name },
    ));
});
