import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { assertAccessible, assertLegibleInDark } from '../support/axe.ts';
import { eventually } from '../support/eventually.ts';
import { addressesOf, pagePaths } from '../support/every-page.ts';
import { interceptedDashboardOfSuite, onPage } from '../support/intercepted-dashboard.ts';
import { inStates, JSON_PAGES, PAGES, prepared } from '../support/page-table.ts';

describe('every page', function () {
  // A section has up to ten pages.
  this.timeout(900_000);
  const suite = interceptedDashboardOfSuite({ people: 60 });
  let addressOf: (path: string) => string;
  before(async () => {
    await prepared(suite);
    addressOf = await addressesOf(suite);
  });

  it('of the router is in the table of tested pages', async () => {
    const rows = Object.values(PAGES).flat();
    // `/` redirects to the overview.
    const expected = (await pagePaths()).filter((path) => path !== '/' && !JSON_PAGES.includes(path));
    assert.deepEqual(rows.map(({ page }) => page).sort(), expected.sort());
  });

  for (const [section, rows] of Object.entries(PAGES))
    it(`passes axe in light and dark, and has a heading outline and standard control sizes: ${section}`, async () => {
      for (const row of rows) {
        const address = addressOf(row.page) + (row.query ?? '');
        await onPage(suite, { path: address, role: row.role, prepare: row.prepare }, async (visit) => {
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
        });
      }
    });
});

/** Headings form an outline: a single first level, and no level is skipped. */
async function assertOutline(page: Page, address: string): Promise<void> {
  const levels = await page.getByRole('heading').evaluateAll((all) => all.map(({ localName }) => Number(localName[1])));
  const skips = levels.filter((level, index) => level > (levels[index - 1] ?? 0) + 1);
  assert.deepEqual({ ones: levels.filter((level) => level === 1).length, skips }, { ones: 1, skips: [] }, address);
}

/**
 * Controls are 28 or 36 pixels high, and dialogs 448 or 768 pixels wide. A control is a button of the theme, or another
 * button, link or field with a border or a background, except in table rows, tabs, menus and the navigation.
 */
async function assertControlSizes(page: Page, address: string): Promise<void> {
  const wrong = await page.evaluate(() => {
    const invisible = ['none', 'rgba(0, 0, 0, 0)'];
    const themed = '.mantine-Button-root, .mantine-ActionIcon-root, .mantine-CloseButton-root';
    const controls = [...document.querySelectorAll('button, a, select, input:not([type=checkbox], [type=radio])')]
      .filter((element) => {
        const { borderTopStyle, borderTopColor, backgroundColor } = getComputedStyle(element);
        const hasBorder = !invisible.includes(borderTopStyle) && !invisible.includes(borderTopColor);
        return element.matches(themed) || hasBorder || !invisible.includes(backgroundColor);
      })
      .filter(
        (element) => !element.closest('tr, nav, [role=tablist], [role=menu], [role=listbox], [aria-hidden=true]'),
      );
    const dialogs = [...document.querySelectorAll('.mantine-Modal-content, .mantine-Drawer-content')];
    const sizes = [
      ...controls.map((element) => ({ element, size: element.getBoundingClientRect().height, allowed: [28, 36] })),
      ...dialogs.map((element) => ({ element, size: element.getBoundingClientRect().width, allowed: [448, 768] })),
    ];
    return sizes
      .filter(({ element }) => element.checkVisibility() && getComputedStyle(element).clipPath === 'none')
      .filter(({ size, allowed }) => size > 1 && !allowed.includes(Math.round(size)))
      .map(
        ({ element, size }) =>
          `${size} px: ${element.ariaLabel ?? (element.textContent || element.outerHTML)} (${element.className})`,
      );
  });
  assert.deepEqual(wrong, [], `${address} has controls or dialogs of other sizes`);
}
