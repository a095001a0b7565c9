import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { type Statistics, VIEWS_MAX } from '../../shared/dashboard.ts';
import type { Visit } from '../support/browser.ts';
import { placementOf, storedLayout, storeLayout, storeViews, viewOf } from '../support/dashboard-resources.ts';
import { eventually } from '../support/eventually.ts';
import { interceptedDashboardOfSuite, onPage } from '../support/intercepted-dashboard.ts';
import { BUSY_RESPONSES, respondWith } from '../support/overview-responses.ts';

describe('the overview in a browser', () => {
  const suite = interceptedDashboardOfSuite();
  beforeEach(() => storeLayout(suite, null));
  const prepare = ({ context }: Visit) => respondWith(context, BUSY_RESPONSES);
  const onOverview = (work: (visit: Visit) => Promise<void>): Promise<void> =>
    onPage(suite, { path: '/dashboard', heading: 'Overview', prepare }, work);
  const stored = () => storedLayout(suite);
  /** Waits until a widget is stored at this position, with this width and height. */
  const isStored = (id: string, ...place: [x: number, y: number, w: number, h: number]): Promise<void> =>
    eventually(async () => {
      const { x, y, w, h } = placementOf(await stored(), id) ?? {};
      return [x, y, w, h];
    }, place);
  const saved = (page: Page): Promise<void> => page.locator('[data-saving="saved"]').waitFor();
  const arranging = async (page: Page): Promise<void> => {
    await page.getByRole('button', { name: 'Arrange', exact: true }).click();
    // The bar appears above the widgets and moves them down.
    await page.getByRole('region', { name: 'Arrange the overview' }).waitFor();
    await page.waitForFunction(() => document.activeElement?.id.startsWith('drag-handle-'));
  };
  const focused = (page: Page): Promise<string | null> =>
    page.evaluate(
      () => document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.textContent ?? null,
    );
  const announces = (page: Page, text: string | RegExp): Promise<void> =>
    page.getByRole('region', { name: 'Arrange the overview' }).getByRole('status').getByText(text).waitFor();

  it('cuts off no number or its change, even a large one', async () => {
    const large = BUSY_RESPONSES['/api/dashboard/statistics']?.() as Statistics;
    Object.assign(large.identities ?? {}, { complete: true });
    for (const day of large.identities?.created ?? []) day.count *= 400;
    await storeLayout(suite, { widgets: [{ id: 'identities-total', x: 0, y: 0, w: 3, h: 2 }], hidden: [] });
    const prepareLarge = ({ context }: Visit) =>
      respondWith(context, {
        ...BUSY_RESPONSES,
        '/api/dashboard/statistics': () => large,
        '/api/identities/total': () => ({ total: 100_004, as_of: new Date().toISOString() }),
      });
    await onPage(suite, { path: '/dashboard', heading: 'Overview', prepare: prepareLarge }, async ({ page }) => {
      const number = page.locator('[data-widget="identities-total"]');
      await number.getByText(/^[\d,]{6,} new$/).waitFor();
      const cut = (): Promise<(string | null)[]> =>
        number.locator('section > :last-child span').evaluateAll((texts) => {
          const { right, bottom } = texts[0]?.closest('section')?.getBoundingClientRect() ?? new DOMRect();
          return texts
            .filter((text) => {
              const box = text.getBoundingClientRect();
              return getComputedStyle(text).overflowX === 'hidden' || box.right > right || box.bottom > bottom;
            })
            .map(({ textContent }) => textContent);
        });
      await eventually(cut, []);
    });
  });

  it('moves and resizes a widget by keyboard, announces each step, and stores the layout', () =>
    onOverview(async ({ page }) => {
      const press = (...keys: string[]) =>
        keys.reduce((previous, key) => previous.then(() => page.keyboard.press(key)), Promise.resolve());
      const arrange = page.getByRole('button', { name: 'Arrange', exact: true });
      // The button is disabled until the layout has loaded.
      await eventually(() => arrange.isEnabled(), true);
      await arrange.focus();
      await press('Enter');
      await page.waitForFunction(() => document.activeElement?.id === 'drag-handle-identities-total');

      await press('ArrowRight', 'ArrowRight');
      await announces(page, 'Identities moved to columns 3 to 5, row 1.');
      await eventually(() => focused(page), 'Move or resize Identities', 'the focus moves along');
      await press('Shift+ArrowRight', 'Shift+ArrowDown');
      await announces(page, 'Identities is 4 columns wide, 3 rows high.');
      await saved(page);
      await isStored('identities-total', 2, 0, 4, 3);

      await press('Escape');
      await page.getByRole('button', { name: 'Arrange', exact: true }).waitFor();
      await eventually(() => focused(page), 'Arrange');
    }));

  it('adds a widget within view, at its default size, and focuses it', async () => {
    await storeLayout(suite, { widgets: [], hidden: ['services'] });
    await onOverview(async ({ page }) => {
      await arranging(page);
      await page.locator('[data-widget="peak-hours"]').scrollIntoViewIfNeeded();
      const bar = page.getByRole('region', { name: 'Arrange the overview' });
      await eventually(async () => ((await bar.boundingBox())?.y ?? 999) < 100, true, 'the bar sticks');
      await page.getByRole('button', { name: 'Add Services' }).click();
      await eventually(() => focused(page), 'Move or resize Services');
      const isInView = async (): Promise<boolean> => {
        const barBox = (await bar.boundingBox()) ?? assert.fail();
        const box = (await page.locator('[data-widget="services"]').boundingBox()) ?? assert.fail();
        return box.y >= barBox.y + barBox.height && box.y + box.height <= (page.viewportSize()?.height ?? 0);
      };
      await eventually(isInView, true);
      const size = async () => {
        const { w, h } = placementOf(await stored(), 'services') ?? {};
        return [w, h];
      };
      await eventually(size, [4, 2]);
    });
  });

  it('covers less than half of the window with its bar, however many views can be added', async () => {
    const views = Array.from({ length: VIEWS_MAX }, (_, index) =>
      viewOf('identities', `many-views-${index}`, `View ${index} ${'w'.repeat(30)}`, `q=${index}`),
    );
    await storeViews(suite, ...views);
    await onOverview(async ({ page }) => {
      await arranging(page);
      await page.getByRole('button', { name: /^Add View 49/ }).waitFor();
      const { height } =
        (await page.getByRole('region', { name: 'Arrange the overview' }).boundingBox()) ?? assert.fail();
      assert.ok(height < (page.viewportSize()?.height ?? 0) / 2, `${height} px`);
    });
    await storeViews(suite);
  });

  it('moves and resizes a widget with the pointer, and cancels a move on Escape', () =>
    onOverview(async ({ page }) => {
      await arranging(page);
      const grip = page.getByRole('button', { name: 'Move or resize Active sessions' });
      const drag = async (from: { x: number; y: number }, to: { x: number; y: number }, end: () => Promise<void>) => {
        await page.mouse.move(from.x, from.y);
        await page.mouse.down();
        await page.mouse.move(to.x, to.y, { steps: 5 });
        await end();
      };
      const centre = async (selector: typeof grip) => {
        const box = (await selector.boundingBox()) ?? assert.fail();
        return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
      };
      const cell = await page
        .locator('[data-widget]')
        .first()
        .evaluate((widget) => widget.clientWidth / 3);
      const start = await centre(grip);
      await drag(start, { x: start.x - 3 * cell, y: start.y }, async () => {
        await eventually(async () => (await centre(grip)).x < start.x - 2 * cell, true, 'it follows the pointer');
        await page.keyboard.press('Escape');
        await page.mouse.up();
      });
      await eventually(() => stored(), null);
      await eventually(async () => Math.abs((await centre(grip)).x - start.x) <= 1, true, 'it is back where it was');

      await drag(start, { x: start.x - 3 * cell - 10, y: start.y }, () => page.mouse.up());
      await announces(page, 'Active sessions moved to columns 1 to 3, row 1.');
      await saved(page);
      await isStored('active-sessions', 0, 0, 3, 2);
      await isStored('identities-total', 0, 2, 3, 2);

      const box = (await page.locator('[data-widget="active-sessions"]').boundingBox()) ?? assert.fail();
      const corner = { x: box.x + box.width - 6, y: box.y + box.height - 6 };
      await drag(corner, { x: corner.x + 2 * cell, y: corner.y + 90 }, () => page.mouse.up());
      await saved(page);
      await isStored('active-sessions', 0, 0, 5, 3);
    }));
});
