import assert from 'node:assert/strict';
import type { Locator } from 'playwright-core';
import { becomes } from '../support/becomes.ts';
import { create, type Stored } from '../support/identity-pages.ts';
import { interceptedDashboardOfSuite, onPage } from '../support/intercepted-dashboard.ts';

const LONG = 'x'.repeat(250);

/** That hostile text stays text is tested without a browser: test/client/hostile-text.test.ts. */
describe('long text, in a browser', () => {
  const intercepted = interceptedDashboardOfSuite();
  let long: Stored;
  before(async () => {
    const email = `${'e'.repeat(60)}@${'d'.repeat(60)}.${'d'.repeat(60)}.example`;
    long = await create(intercepted, {
      schema_id: 'customer',
      traits: { email, name: { first: 'y'.repeat(100), last: 'z'.repeat(100) } },
      metadata_public: { [LONG]: LONG },
      external_id: LONG,
    });
    await intercepted.dashboard.call('/api/settings', {
      session: intercepted.sessions.admin,
      json: { key: `upstream.${LONG.slice(0, 200)}`, value: LONG, encrypted: true, category: LONG.slice(0, 40) },
    });
  });

  /** Nothing of it is cut off. */
  const isWhole = (dialog: Locator): Promise<boolean> =>
    dialog.evaluate((element) =>
      [element, ...element.querySelectorAll('*')].every(
        (part) => part.scrollWidth <= part.clientWidth + 1 || getComputedStyle(part).overflowX === 'visible',
      ),
    );

  it('widens no page of a phone, and is shown whole where it must be typed before a deletion', () =>
    onPage(
      intercepted,
      '/identities',
      async ({ page }) => {
        for (const path of [
          '/identities',
          `/identities/${long.id}/traits`,
          `/identities/${long.id}/json`,
          `/identities/${long.id}/traits/edit`,
          '/settings',
          `/identities/${long.id}`,
        ]) {
          await page.goto(`${intercepted.dashboard.baseUrl}${path}`);
          await page.getByRole('heading', { level: 1 }).waitFor();
          await becomes(() => page.locator('[aria-busy=true]').count(), 0);
          await becomes(() => page.evaluate(() => document.documentElement.scrollWidth), 390, path);
        }
        await page.getByRole('button', { name: 'More actions' }).click();
        await page.getByRole('menuitem', { name: /^Delete/ }).click();
        const dialog = page.getByRole('dialog');
        const code = dialog.locator('label code');
        await code.waitFor();
        await becomes(() => isWhole(dialog), true);
        const isWithin = async (): Promise<boolean> => {
          const [inner, outer] = [await code.boundingBox(), await dialog.boundingBox()];
          assert.ok(inner && outer);
          return inner.x >= outer.x && inner.x + inner.width <= outer.x + outer.width;
        };
        await becomes(isWithin, true);
        await dialog.getByRole('textbox').fill((await code.textContent()) ?? '');
        await becomes(() => dialog.getByRole('button', { name: 'Delete' }).isEnabled(), true);
      },
      { viewport: { width: 390, height: 900 } },
    ));
});
