import assert from 'node:assert/strict';
import type { Locator, Page } from 'playwright-core';
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

/** More than any page has for the Tab key; a walk ends earlier, when it comes round. */
const STEPS_MAX = 150;

/**
 * Walks a page by a key, Tab without another, until what it focuses comes round.
 * @param from where the walk begins, which has the focus first; the page's beginning, or its end, without it
 * @returns what took the focus without looking any different for it, or out of sight: behind what sticks or is fixed
 */
export async function focusWalk(
  page: Page,
  { key = 'Tab', from }: { key?: string; from?: Locator } = {},
): Promise<string[]> {
  await page.evaluate(rememberLooks);
  await from?.focus();
  const problems = new Set<string>();
  for (let step = 0; step < STEPS_MAX; step += 1) {
    await page.keyboard.press(key);
    const { ended, problem } = await page.evaluate(focusedNow);
    if (problem !== undefined) problems.add(problem);
    if (ended) break;
  }
  const walked = await page.evaluate(() => (globalThis as unknown as { walk: Walk }).walk.walked.size);
  return walked > 0 ? [...problems] : ['nothing took the focus'];
}

// What follows runs in the page: each function stands alone.

interface Walk {
  look(element: Element): string;
  looks: WeakMap<Element, string>;
  walked: Set<Element>;
  /** What may lie above others, and of how many elements it was found. */
  above: { of: number; elements: Element[] };
}

/** What everything that can take the focus looks like without the focus, itself and around it. */
function rememberLooks(): void {
  const walk: Walk = {
    // A method: the compiler wraps every other function in one that the page does not have.
    look(element) {
      const parts = [element, element.parentElement, element.parentElement?.parentElement, ...element.children];
      return JSON.stringify(
        parts
          .flatMap((part) => (part == null ? [] : [getComputedStyle(part), getComputedStyle(part, '::before')]))
          .map(({ outlineStyle, outlineWidth, borderColor, boxShadow, backgroundColor, textDecoration, stroke }) => {
            const outline = outlineStyle === 'none' ? '' : outlineWidth;
            return [outline, borderColor, boxShadow, backgroundColor, textDecoration, stroke].join();
          }),
      );
    },
    looks: new WeakMap(),
    walked: new Set(),
    above: { of: 0, elements: [] },
  };
  if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
  // Otherwise the element that loses the focus here is remembered in the look that it is leaving.
  // That of a skeleton never ends.
  for (const animation of document.getAnimations())
    if (Number.isFinite(animation.effect?.getComputedTiming().endTime)) animation.finish();
  for (const element of document.querySelectorAll<HTMLElement>('*'))
    if (element.tabIndex >= 0 || element.hasAttribute('tabindex')) walk.looks.set(element, walk.look(element));
  Object.assign(globalThis, { walk });
}

function focusedNow(): { ended: boolean; problem?: string } {
  const { walk } = globalThis as unknown as { walk: Walk };
  const { activeElement: focused } = document;
  // Where the walk before this one ended there may be nothing more: it goes round once.
  if (focused === null || focused === document.body) return { ended: walk.walked.size > 0 };
  const ended = walk.walked.has(focused);
  walk.walked.add(focused);
  const box = focused.getBoundingClientRect();
  const called = `${focused.localName}.${focused.className} "${focused.getAttribute('aria-label') ?? focused.textContent?.slice(0, 40)}"`;
  for (const animation of document.getAnimations())
    if (Number.isFinite(animation.effect?.getComputedTiming().endTime)) animation.finish();
  const remembered = walk.looks.get(focused);
  if (remembered !== undefined && remembered === walk.look(focused))
    return { ended, problem: `${called} is not marked` };
  if (box.top >= innerHeight || box.bottom <= 0) return { ended, problem: `${called} is out of sight` };
  const all = document.querySelectorAll('*');
  if (walk.above.of !== all.length) {
    const elements = [...all].filter((one) => ['sticky', 'fixed'].includes(getComputedStyle(one).position));
    walk.above = { of: all.length, elements };
  }
  for (const other of walk.above.elements) {
    if (getComputedStyle(other).pointerEvents === 'none') continue;
    if (other.contains(focused) || focused.contains(other) || !other.checkVisibility()) continue;
    const cover = other.getBoundingClientRect();
    const deep = Math.min(box.bottom, cover.bottom) - Math.max(box.top, cover.top);
    const wide = Math.min(box.right, cover.right) - Math.max(box.left, cover.left);
    // What is larger than the room between what sticks shows a part of itself at least.
    if (deep <= 1 || wide <= 1 || box.height > innerHeight / 2) continue;
    const hit = document.elementFromPoint(
      Math.max(box.left, cover.left) + wide / 2,
      Math.max(box.top, cover.top) + deep / 2,
    );
    if (hit !== null && other.contains(hit))
      return {
        ended,
        problem: `${called} lies behind ${other.localName}.${other.className} by ${Math.round(deep)} px`,
      };
  }
  return { ended };
}
