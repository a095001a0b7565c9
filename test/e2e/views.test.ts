import { becomes } from '../support/becomes.ts';
import { create, rows } from '../support/identity-pages.ts';
import { indexIsRead } from '../support/index-is-read.ts';
import { interceptedDashboardOfSuite, onPage } from '../support/intercepted-dashboard.ts';
import { currentView, isFocused, openedMenu, query, saveAs, storedViews, viewsButton } from '../support/view-pages.ts';

describe('views of lists, in a browser', function () {
  this.timeout(90_000);
  const intercepted = interceptedDashboardOfSuite({ people: 30 });
  before(async () => {
    await create(intercepted, {
      schema_id: 'customer',
      state: 'inactive',
      traits: { email: 'sleeping@example.org', name: { first: 'Sleeping', last: 'One' } },
    });
    await indexIsRead(intercepted.dashboard, intercepted.sessions.admin);
  });

  it('are saved and chosen, stand in the address, and fit a narrow screen with names of any length', () => {
    const name = `Sleeping ${'w'.repeat(51)}`;
    return onPage(
      intercepted,
      '/identities?q=sleeping&sort=identifier&page_size=50',
      async ({ page }) => {
        await becomes(() => rows(page).count(), 1);
        await saveAs(page, `  ${name}  `);
        await becomes(() => currentView(page).textContent(), name);
        await becomes(() => isFocused(viewsButton(page)), true, 'the focus is back');
        await becomes(
          async () => (await storedViews(intercepted)).map(({ name, search }) => [name, search]),
          [[name, 'q=sleeping&sort=identifier']],
        );
        await page.reload();
        await becomes(() => currentView(page).textContent(), name);

        await page.goto(`${intercepted.dashboard.baseUrl}/identities?state=inactive`);
        await becomes(() => currentView(page).textContent(), 'Inactive', 'one that everybody has');
        const list = await openedMenu(page);
        await list.getByRole('link', { name: 'Sleeping' }).click();
        await becomes(() => query(page), '?q=sleeping&sort=identifier');
        await becomes(() => currentView(page).textContent(), name);
        await list.waitFor({ state: 'detached' });
        await page.setViewportSize({ width: 390, height: 844 });
        await openedMenu(page);
        await list.getByRole('link', { name: 'Sleeping' }).waitFor();
        for (const part of [list, viewsButton(page), currentView(page)])
          await becomes(async () => {
            const { x = -1, width = 0 } = (await part.boundingBox()) ?? {};
            return x >= 0 && x + width <= 390;
          }, true);
        await becomes(() => page.evaluate(() => document.documentElement.scrollWidth), 390);
        await page.keyboard.press('Escape');
        await list.waitFor({ state: 'detached' });
        await becomes(() => isFocused(viewsButton(page)), true, 'the focus is back');
      },
      { heading: 'Identities' },
    );
  });
});
