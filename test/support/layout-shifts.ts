import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { originsOf, type Visit, type VisitOptions, visiting } from './browser.ts';
import type { Dashboard } from './dashboard.ts';
import { eventually } from './eventually.ts';

/** The threshold for "good" at web.dev/cls. */
const SHIFT_MAX = 0.05;

interface Arrival extends Pick<VisitOptions, 'viewport'> {
  session: string;
  path: string;
  /** Before the page is opened. */
  given?: ((visit: Visit) => Promise<unknown>) | undefined;
  /** Shifts are not looked at. */
  moves?: boolean | undefined;
}

/**
 * Opens a page whose responses are delivered one by one, each after the previous one has been rendered. `work` begins when
 * all of it is there.
 * @throws AssertionError when the page has shifted by more than is good
 */
export const onArrivedPage = (
  dashboard: Dashboard,
  { session, path, viewport, given, moves = false }: Arrival,
  work: (visit: Visit) => Promise<void>,
): Promise<void> =>
  visiting({ origins: originsOf(dashboard), viewport, warm: true }, async (visit) => {
    const { context, page, expect } = visit;
    expect(404, /./);
    await context.addCookies([{ name: 'dashboard-session', value: session, url: dashboard.baseUrl }]);
    await given?.(visit);
    let line = Promise.resolve();
    let waiting = 0;
    // By the protocol itself: where the library holds requests back, it takes every one and switches the cache off.
    const protocol = await context.newCDPSession(page);
    protocol.on('Fetch.requestPaused', ({ requestId }) => {
      waiting += 1;
      line = line
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
    assert.ok(moves || sum <= SHIFT_MAX, `${path} moves by ${sum}: ${JSON.stringify(shifts, null, 1)}`);
    await protocol.detach();
    await work(visit);
  });

/** Waits two frames: the first may already have been under way. */
const painted = (page: Page): Promise<void> =>
  page
    .evaluate(() => new Promise<void>((done) => requestAnimationFrame(() => requestAnimationFrame(() => done()))))
    .catch(() => {});

interface Shift {
  value: number;
  what: string[];
}

const layoutShifts = (page: Page): Promise<Shift[]> =>
  page.evaluate(
    () =>
      new Promise<Shift[]>((done) => {
        const observer = new PerformanceObserver((list) => {
          const entries = list.getEntries() as (PerformanceEntry & {
            value: number;
            hadRecentInput: boolean;
            sources: { node: Node | null; previousRect: DOMRect; currentRect: DOMRect }[];
          })[];
          done(
            entries
              .filter(({ hadRecentInput }) => !hadRecentInput)
              .map(({ value, sources }) => ({
                value,
                what: sources.map(
                  ({ node, previousRect: was, currentRect: is }) =>
                    `${(node as Element | null)?.className ?? node?.nodeName} "${node?.textContent?.slice(0, 30)}" ${Math.round(was.y)}+${Math.round(was.height)} -> ${Math.round(is.y)}+${Math.round(is.height)}`,
                ),
              })),
          );
        });
        observer.observe({ type: 'layout-shift', buffered: true });
        requestAnimationFrame(() => setTimeout(() => done([]), 50));
      }),
  );
