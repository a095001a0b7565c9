import assert from 'node:assert/strict';
import { eventually } from '../support/eventually.ts';
import { type Person, person } from '../support/identity-pages.ts';
import { interceptedDashboardOfSuite, onPage } from '../support/intercepted-dashboard.ts';

describe('a page that is copied or printed, in a browser', () => {
  const suite = interceptedDashboardOfSuite();
  let somebody: Person;
  before(async () => {
    somebody = await person(suite);
  });

  it('is JSON, and on paper every fact without navigation and buttons, also from dark colours', () =>
    onPage(
      suite,
      `/identities/${somebody.id}`,
      async ({ page, context }) => {
        await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: suite.dashboard.baseUrl });
        await page.getByRole('button', { name: 'More actions' }).click();
        await page.getByRole('menuitem', { name: 'Copy as JSON' }).click();
        await eventually(() => page.evaluate(() => navigator.clipboard.readText()), new RegExp(somebody.id));

        await page.getByRole('heading', { name: 'Addresses' }).waitFor();
        await eventually(() => page.locator('[aria-busy=true]').count(), 0);
        const facts = (): Promise<string[]> =>
          page.locator('main dd').evaluateAll((all) => all.map((fact) => (fact as HTMLElement).innerText.trim()));
        const shown = await facts();
        assert.ok(shown.length > 3);
        await page.emulateMedia({ media: 'print' });
        for (const gone of ['nav', 'button', 'header', '[role="menu"]', 'main a.mantine-Button-root'])
          await eventually(() => page.locator(`${gone}:visible`).count(), 0, gone);
        await eventually(facts, shown);
        // The exact time stands beside the one in words.
        const beside = (): Promise<boolean> =>
          page
            .locator('main time')
            .first()
            .evaluate((time) => getComputedStyle(time, '::after').content !== 'none');
        await eventually(beside, true);
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
      { colorScheme: 'dark', heading: somebody.name },
    ));
});
