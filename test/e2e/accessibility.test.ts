import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { assertAccessible, assertLegibleInDark } from '../support/axe.ts';
import { assertControlSizes } from '../support/control-sizes.ts';
import { eventually } from '../support/eventually.ts';
import { addressesOf, pagePaths } from '../support/every-page.ts';
import { interceptedDashboardOfSuite, onPage } from '../support/intercepted-dashboard.ts';
import { inStates } from '../support/page-rows.ts';
import { JSON_PAGES, PAGES, prepared } from '../support/page-table.ts';

describe('accessibility', function () {
  // Of a section of ten pages.
  this.timeout(300_000);
  const suite = interceptedDashboardOfSuite({ people: 60 });
  let addressOf: (path: string) => string;
  before(async () => {
    await prepared(suite);
    addressOf = await addressesOf(suite.dashboard, suite.sessions.admin);
  });

  it('is tested on every page of the router', async () => {
    const rows = Object.values(PAGES).flat();
    // The first one leads to the overview.
    const expected = (await pagePaths()).filter((path) => path !== '/' && !JSON_PAGES.includes(path));
    assert.deepEqual(rows.map(({ page }) => page).sort(), expected.sort());
  });

  for (const [section, rows] of Object.entries(PAGES))
    it(`pages pass axe in light and dark, and in every state: ${section}`, async () => {
      for (const row of rows) {
        const address = addressOf(row.page) + (row.query ?? '');
        await onPage(
          suite,
          address,
          async (visit) => {
            const { page, expect } = visit;
            expect(404, /./);
            await eventually(() => page.locator('[aria-busy=true]').count(), 0);
            await assertOutline(page, address);
            await assertLegibleInDark(page, address);
            await assertAccessible(page, address);
            await assertControlSizes(page, address);
            await inStates(visit, row, async (state) => {
              await assertAccessible(page, `${address}, ${state},`, { onTop: true });
              await assertControlSizes(page, `${address}, ${state},`);
            });
          },
          { role: row.role, given: row.given },
        );
      }
    });
});

/** Headings form an outline: a single first level, and no level is skipped. */
async function assertOutline(page: Page, address: string): Promise<void> {
  const levels = await page.getByRole('heading').evaluateAll((all) => all.map(({ localName }) => Number(localName[1])));
  const skips = levels.filter((level, index) => level > (levels[index - 1] ?? 0) + 1);
  assert.deepEqual({ ones: levels.filter((level) => level === 1).length, skips }, { ones: 1, skips: [] }, address);
}
