import assert from 'node:assert/strict';
import type { Request } from 'playwright-core';
import { assertFits } from '../support/axe.ts';
import { becomes } from '../support/becomes.ts';
import { person } from '../support/identity-pages.ts';
import { interceptedDashboardOfSuite, onPage } from '../support/intercepted-dashboard.ts';
import { lines } from '../support/timeline-pages.ts';

/** How many things moved since it was evaluated last. */
const TAKE_SHIFTS = 'shifts.splice(0).length + observer.takeRecords().length';

describe('the layout of a timeline, in a browser', () => {
  const intercepted = interceptedDashboardOfSuite();

  it('fits a phone', async () => {
    const { id, name } = await person(intercepted);
    await onPage(
      intercepted,
      `/identities/${id}/history`,
      async ({ page }) => {
        await page.getByText(/^\d+ lines?, all that could be read$/).waitFor();
        await assertFits(page, 'the timeline');
        await becomes(async () => ((await lines(page).first().boundingBox())?.y ?? 1_000) < 460, true);
      },
      { heading: name, viewport: { width: 390, height: 844 } },
    );
  });

  it('does not move when its last source responds', async () => {
    const { id } = await person(intercepted);
    await onPage(intercepted, '/dashboard', async ({ page, context }) => {
      let release = (): void => {};
      const isReleased = new Promise<void>((resolve) => {
        release = resolve;
      });
      await context.route(
        (url) => url.pathname.endsWith('/sessions/consent'),
        async (route) => {
          await isReleased;
          await route.continue();
        },
      );
      const underWay = new Set<Request>();
      page.on('request', (request) => underWay.add(request));
      page.on('requestfinished', (request) => underWay.delete(request));
      page.on('requestfailed', (request) => underWay.delete(request));
      await page.addInitScript(() => {
        const shifts: unknown[] = [];
        const observer = new PerformanceObserver((list) => void shifts.push(...list.getEntries()));
        observer.observe({ type: 'layout-shift', buffered: true });
        Object.assign(globalThis, { shifts, observer });
      });
      await page.goto(`${intercepted.dashboard.baseUrl}/identities/${id}/history`);
      await page.getByRole('status', { name: 'Loading the timeline' }).waitFor();
      // All others have responded, and what they moved is over.
      await becomes(() => underWay.size, 1);
      await twoFrames();
      await page.evaluate(TAKE_SHIFTS);
      release();
      await page.getByText(/^\d+ lines?, all that could be read$/).waitFor();
      await twoFrames();
      assert.equal(await page.evaluate(TAKE_SHIFTS), 0);

      function twoFrames(): Promise<unknown> {
        return page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
      }
    });
  });
});
