import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { originsOf, type Visit, type VisitOptions, visiting } from './browser.ts';
import type { Dashboard } from './dashboard.ts';
import { eventually } from './eventually.ts';

/** The threshold for "good" at web.dev/cls. */
const SHIFT_MAX = 0.05;

interface Load extends Pick<VisitOptions, 'viewport'> {
  session: string;
  path: string;
  /** Runs before the page is opened. */
  prepare?: ((visit: Visit) => Promise<unknown>) | undefined;
  /** Ignores layout shifts. */
  mayShift?: boolean | undefined;
}

/**
 * Opens a page whose API responses are delivered one by one, each after the previous one has been rendered, and calls
 * `work` once everything is loaded.
 * @throws AssertionError when the page has shifted by more than `SHIFT_MAX`
 */
export const onLoadedPage = (
  dashboard: Dashboard,
  { session, path, viewport, prepare, mayShift = false }: Load,
  work: (visit: Visit) => Promise<void>,
): Promise<void> =>
  visiting({ origins: originsOf(dashboard), viewport, warm: true }, async (visit) => {
    const { context, page, expect } = visit;
    expect(404, /./);
    await context.addCookies([{ name: 'dashboard-session', value: session, url: dashboard.baseUrl }]);
    await prepare?.(visit);
    let queue = Promise.resolve();
    let waiting = 0;
    // With the protocol itself, because Playwright's routes intercept every request and disable the cache.
    const protocol = await context.newCDPSession(page);
    protocol.on('Fetch.requestPaused', ({ requestId }) => {
      waiting += 1;
      queue = queue
        .then(() => painted(page))
        .then(() => protocol.send('Fetch.continueRequest', { requestId }).catch(() => {}))
        .then(() => {
          waiting -= 1;
        });
    });
    await protocol.send('Fetch.enable', { patterns: [{ urlPattern: `${dashboard.baseUrl}/api/*` }] });
    await page.goto(`${dashboard.baseUrl}${path}`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.waitForLoadState('networkidle');
    await eventually(async () => waiting + (await page.locator('[aria-busy=true]').count()), 0);
    await painted(page);
    const shifts = await layoutShifts(page);
    const sum = shifts.reduce((total, { value }) => total + value, 0);
    assert.ok(mayShift || sum <= SHIFT_MAX, `${path} shifts by ${sum}: ${JSON.stringify(shifts, null, 1)}`);
    await protocol.detach();
    await work(visit);
  });

/** Waits for two frames, because the first may have started before. */
const painted = (page: Page): Promise<void> =>
  page
    .evaluate(() => new Promise<void>((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve()))))
    .catch(() => {});

interface Shift {
  value: number;
  moved: string[];
}

const layoutShifts = (page: Page): Promise<Shift[]> =>
  page.evaluate(
    () =>
      new Promise<Shift[]>((resolve) => {
        const observer = new PerformanceObserver((list) => {
          const entries = list.getEntries() as (PerformanceEntry & {
            value: number;
            hadRecentInput: boolean;
            sources: { node: Node | null; previousRect: DOMRect; currentRect: DOMRect }[];
          })[];
          resolve(
            entries
              .filter(({ hadRecentInput }) => !hadRecentInput)
              .map(({ value, sources }) => ({
                value,
                moved: sources.map(
                  ({ node, previousRect: before, currentRect: after }) =>
                    `${(node as Element | null)?.className ?? node?.nodeName} "${node?.textContent?.slice(0, 30)}" ${Math.round(before.y)}+${Math.round(before.height)} -> ${Math.round(after.y)}+${Math.round(after.height)}`,
                ),
              })),
          );
        });
        observer.observe({ type: 'layout-shift', buffered: true });
        requestAnimationFrame(() => setTimeout(() => resolve([]), 50));
      }),
  );
