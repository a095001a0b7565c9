import assert from 'node:assert/strict';
import type { Locator, Page } from 'playwright-core';
import { assertAccessibleEverywhere, assertAccessibleOnPhone } from '../support/axe.ts';
import type { Visit } from '../support/browser.ts';
import { addressesOf } from '../support/every-page.ts';
import { changeIdentity, createIdentity } from '../support/identity-pages.ts';
import { interceptedDashboardOfSuite } from '../support/intercepted-dashboard.ts';
import { onLoadedPage } from '../support/layout-shifts.ts';
import { dialogOf, fails, inStates, PAGES, type PageRow, prepared, press } from '../support/page-table.ts';

const PHONE = { width: 390, height: 844 };
const DESK = { width: 1440, height: 900 };

/** `PERSON` in a path is replaced by the id of a deactivated identity. */
const RARE: Readonly<Record<string, readonly PageRow[]>> = {
  'pages whose requests fail': [
    { page: '/messages', prepare: (visit) => fails(visit, '/api/messages') },
    { page: '/dashboard', prepare: (visit) => fails(visit, '/api/dashboard/statistics') },
    { page: '/system', mayShift: true, prepare: (visit) => fails(visit, '/api/services') },
    {
      page: '/sessions',
      prepare: (visit) => fails(visit, '/api/session-locations'),
      states: { 'the map': (page) => press(page, 'Map') },
    },
    { page: '/sign-in-failed', query: '?reason=provider_unreachable' },
  ],
  'missing records': [
    { page: '/identities/00000000-0000-4000-8000-000000000000' },
    { page: '/sessions/00000000-0000-4000-8000-000000000000' },
    { page: '/oauth/consents' },
    { page: '/oauth/clients', query: '?q=zzzz' },
    { page: '/identities/PERSON/credentials' },
    { page: '/security/audit', query: '?subject=setting:none' },
    {
      page: '/security/audit',
      query: '?from=yesterday',
      prepare: async ({ expect }: Visit) => expect(400, '/api/security/audit'),
    },
  ],
  'pages opened by a viewer': [
    { page: '/dashboard', role: 'viewer' },
    // The app requests the settings along with the session.
    { page: '/settings', role: 'viewer', prepare: async ({ expect }) => expect(403, '/api/settings') },
    { page: '/system', role: 'viewer' },
  ],
  'bulk actions and exports': [
    {
      page: '/identities',
      states: {
        'all matching rows': async (page) => {
          await page.getByLabel('Select all rows on this page').check();
          await press(page, /^Select all \d+/);
        },
        'deleting all matching rows': async (page) => {
          await press(page, 'Delete…');
          await dialogOf(page)
            .getByLabel(/^Type /)
            .waitFor();
        },
      },
    },
    {
      page: '/identities/export',
      states: {
        'the finished export': async (page) => {
          await press(page, 'Export all identities');
          await page
            .getByText(/^\d+ identities/)
            .first()
            .waitFor();
        },
      },
    },
    {
      page: '/dashboard',
      states: {
        'charts as tables': async (page) => {
          for (const button of await page.getByRole('button', { name: /as a table$/ }).all()) await button.click();
          await page.locator('main table').first().waitFor();
        },
      },
    },
    {
      page: '/sessions',
      states: {
        'ending several sessions': async (page) => {
          await page.locator('tr[data-row]').first().focus();
          await page.keyboard.press('x');
          await press(page, /^End/);
          await dialogOf(page).getByRole('button', { name: 'Cancel' }).waitFor();
        },
      },
    },
  ],
  'changed and deleted records': [
    {
      page: '/identities/PERSON/history',
      states: {
        'an undo': (page) => page.getByRole('button', { name: /^Undo the deactivation/ }).waitFor(),
      },
    },
    {
      page: '/settings',
      states: {
        'deleted settings': async (page) => {
          await press(page, 'Deleted settings');
          await page.getByText('mail.gone').waitFor();
        },
      },
    },
    {
      page: '/security/audit',
      prepare: ({ context }) =>
        context.route('**/api/security/audit/chain', (route) =>
          route.fulfill({
            json: { status: 'broken', verified_to: 6, head: 90, broken_at: 7, as_of: new Date().toISOString() },
          }),
        ),
      states: {
        'the finished export': async (page) => {
          await press(page, 'Export…');
          await page.getByText(/^Export .* records as CSV$/).click();
          await page.getByText(/records were exported/).waitFor();
        },
      },
    },
    {
      page: '/identities/PERSON/traits/edit',
      states: {
        'two versions': async (page, { expect }) => {
          expect(409, /./);
          await page.getByLabel('First name').fill('Grace');
          await page.evaluate(async (id) => {
            await fetch(`/api/identity-admin/admin/identities/${id}`, {
              method: 'PATCH',
              headers: { 'content-type': 'application/json' },
              body: JSON.stringify([{ op: 'replace', path: '/traits/name/first', value: 'Other' }]),
            });
          }, new URL(page.url()).pathname.split('/')[2]);
          await press(page, 'Save');
          await page.getByText('Other').first().waitFor();
        },
      },
    },
    { page: '/security', states: { 'passed checks': (page) => page.getByText(/^Show \d+ checks without/).click() } },
  ],
};

describe('a page', function () {
  // A section has up to ten pages.
  this.timeout(900_000);
  const suite = interceptedDashboardOfSuite({ people: 60 });
  let addressOf: (path: string) => string;
  before(async () => {
    await prepared(suite);
    const person = await createIdentity(suite, {
      schema_id: 'customer',
      traits: { email: 'ada@example.org', name: { first: 'Ada', last: 'Old' } },
    });
    await changeIdentity(suite, person.id, { '/state': 'inactive' });
    await suite.call('/api/settings', { json: { key: 'mail.gone', value: 'x' } });
    await suite.call('/api/settings/mail.gone', { method: 'DELETE' });
    const addressOfFirst = await addressesOf(suite);
    addressOf = (path) => addressOfFirst(path).replace('PERSON', person.id);
  });

  const visitPage = (
    { page, query = '', role = 'admin', prepare, mayShift }: PageRow,
    viewport: typeof DESK,
    work: (visit: Visit, address: string) => Promise<void>,
  ): Promise<void> => {
    const path = addressOf(page) + query;
    const load = { session: suite.sessions[role], path, viewport, prepare, mayShift };
    return onLoadedPage(suite.dashboard, load, (visit) => work(visit, path));
  };

  for (const [section, rows] of [...Object.entries(PAGES), ...Object.entries(RARE)]) {
    const isUsual = section in PAGES;
    // accessibility.test.ts checks the usual pages on a wide screen, in light and dark.
    const assertPasses = isUsual ? assertAccessibleOnPhone : assertAccessibleEverywhere;
    const where = isUsual ? 'on a phone' : 'in light, in dark and on a phone';
    it(`passes axe ${where}, does not shift while loading, and keeps the focus visible: ${section}`, async () => {
      for (const row of rows) {
        await visitPage(row, DESK, async (visit, address) => {
          assert.deepEqual(await focusWalk(visit.page), [], address);
          await assertPasses(visit.page, address);
          await inStates(visit, row, (state) => assertPasses(visit.page, `${address}, ${state},`));
        });
        if (isUsual)
          await visitPage(row, PHONE, async ({ page }, address) => {
            assert.deepEqual(await focusWalk(page), [], address);
          });
      }
    });
  }

  for (const viewport of [PHONE, DESK])
    it(`never covers the focused element with a sticky header or footer at a width of ${viewport.width} px`, async () => {
      await visitPage({ page: '/identities' }, viewport, async ({ page }) => {
        const rows = page.locator('tr[data-row]');
        await rows.first().focus();
        await page.keyboard.press('x');
        await page.getByText('1 selected on this page').waitFor();
        for (const key of ['j', 'k'])
          assert.deepEqual(await focusWalk(page, { key, from: key === 'j' ? rows.first() : rows.last() }), [], key);
      });
      await visitPage({ page: '/oauth/clients/$id/edit' }, viewport, async ({ page, context, expect }) => {
        assert.deepEqual(await focusWalk(page, { key: 'Shift+Tab' }), []);
        expect(401, /^\/api\//);
        await context.clearCookies({ name: 'dashboard-session' });
        await page.getByLabel('Name', { exact: true }).fill('Another');
        await page.getByRole('button', { name: 'Save' }).click();
        await page.getByText('You are signed out').waitFor();
        for (const key of ['Tab', 'Shift+Tab']) assert.deepEqual(await focusWalk(page, { key }), [], key);
      });
      await visitPage({ page: '/dashboard' }, viewport, async ({ page }) => {
        await press(page, 'Arrange');
        await page.getByRole('region', { name: 'Arrange the overview' }).waitFor();
        for (const key of ['Tab', 'Shift+Tab']) assert.deepEqual(await focusWalk(page, { key }), [], key);
      });
    });
});

/** More than any page has focusable elements; a walk ends earlier, at the element where it started. */
const STEPS_MAX = 150;

/**
 * Presses a key, by default Tab, until an element has the focus for the second time.
 * @param from has the focus first; by default the walk starts at the beginning or the end of the page
 * @returns the elements without a visible focus mark, and those outside the viewport or behind a sticky or fixed element
 */
async function focusWalk(page: Page, { key = 'Tab', from }: { key?: string; from?: Locator } = {}): Promise<string[]> {
  await page.evaluate(recordAppearance);
  await from?.focus();
  const problems = new Set<string>();
  for (let step = 0; step < STEPS_MAX; step += 1) {
    await page.keyboard.press(key);
    const { ended, problem } = await page.evaluate(checkFocused);
    if (problem !== undefined) problems.add(problem);
    if (ended) break;
  }
  const visited = await page.evaluate(() => (globalThis as unknown as { walk: Walk }).walk.visited.size);
  return visited > 0 ? [...problems] : ['no element took the focus'];
}

// The following functions run in the page, so they cannot refer to each other.

interface Walk {
  appearanceOf(element: Element): string;
  /** The appearance of each focusable element without the focus. */
  appearances: WeakMap<Element, string>;
  visited: Set<Element>;
  /** Sticky and fixed elements, which are searched for again when the number of all elements changes. */
  overlays: { total: number; elements: Element[] };
}

/** Records the appearance of each focusable element and its surroundings without the focus. */
function recordAppearance(): void {
  const walk: Walk = {
    // A method, because the compiler wraps other functions in a helper that the page does not have.
    appearanceOf(element) {
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
    appearances: new WeakMap(),
    visited: new Set(),
    overlays: { total: 0, elements: [] },
  };
  if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
  // The element that has just lost the focus may still fade. The animation of a skeleton has no end.
  for (const animation of document.getAnimations())
    if (Number.isFinite(animation.effect?.getComputedTiming().endTime)) animation.finish();
  for (const element of document.querySelectorAll<HTMLElement>('*'))
    if (element.tabIndex >= 0 || element.hasAttribute('tabindex'))
      walk.appearances.set(element, walk.appearanceOf(element));
  Object.assign(globalThis, { walk });
}

function checkFocused(): { ended: boolean; problem?: string } {
  const { walk } = globalThis as unknown as { walk: Walk };
  const { activeElement: focused } = document;
  // An earlier walk may have ended at the last element: then the first key press leaves the page.
  if (focused === null || focused === document.body) return { ended: walk.visited.size > 0 };
  const ended = walk.visited.has(focused);
  walk.visited.add(focused);
  const box = focused.getBoundingClientRect();
  const description = `${focused.localName}.${focused.className} "${focused.getAttribute('aria-label') ?? focused.textContent?.slice(0, 40)}"`;
  for (const animation of document.getAnimations())
    if (Number.isFinite(animation.effect?.getComputedTiming().endTime)) animation.finish();
  const unfocused = walk.appearances.get(focused);
  if (unfocused !== undefined && unfocused === walk.appearanceOf(focused))
    return { ended, problem: `${description} has no visible focus mark` };
  if (box.top >= innerHeight || box.bottom <= 0) return { ended, problem: `${description} is outside the viewport` };
  const all = document.querySelectorAll('*');
  if (walk.overlays.total !== all.length) {
    const elements = [...all].filter((element) => ['sticky', 'fixed'].includes(getComputedStyle(element).position));
    walk.overlays = { total: all.length, elements };
  }
  for (const overlay of walk.overlays.elements) {
    if (getComputedStyle(overlay).pointerEvents === 'none') continue;
    if (overlay.contains(focused) || focused.contains(overlay) || !overlay.checkVisibility()) continue;
    const cover = overlay.getBoundingClientRect();
    const coveredHeight = Math.min(box.bottom, cover.bottom) - Math.max(box.top, cover.top);
    const coveredWidth = Math.min(box.right, cover.right) - Math.max(box.left, cover.left);
    // An element taller than the space between header and footer is still partly visible.
    if (coveredHeight <= 1 || coveredWidth <= 1 || box.height > innerHeight / 2) continue;
    const hit = document.elementFromPoint(
      Math.max(box.left, cover.left) + coveredWidth / 2,
      Math.max(box.top, cover.top) + coveredHeight / 2,
    );
    if (hit !== null && overlay.contains(hit))
      return {
        ended,
        problem: `${description} lies behind ${overlay.localName}.${overlay.className} by ${Math.round(coveredHeight)} px`,
      };
  }
  return { ended };
}
