import assert from 'node:assert/strict';
import type { Locator, Page } from 'playwright-core';
import { storeViews, viewOf } from '../support/dashboard-resources.ts';
import { eventually } from '../support/eventually.ts';
import { chooseAction, createIdentity, type Identity, listRows, searchField } from '../support/identity-pages.ts';
import { interceptedDashboardOfSuite, onPage } from '../support/intercepted-dashboard.ts';
import { onLoadedPage } from '../support/layout-shifts.ts';
import { createClient } from '../support/oauth-client-pages.ts';

const PHONE = { width: 390, height: 844 };
/** A laptop's 1280 × 1024 pixels at 400 % (WCAG 2.2, 1.4.10). */
const ZOOMED = { width: 320, height: 256 };
/** The first row must start above this, in pixels. */
const TOP_MAX = 400;
const LONG = 'x'.repeat(250);

describe('the app on a small screen', () => {
  const suite = interceptedDashboardOfSuite({ people: 40 });
  let long: Identity;
  before(async () => {
    const email = `${'e'.repeat(60)}@${'d'.repeat(60)}.${'d'.repeat(60)}.example`;
    long = await createIdentity(suite, {
      schema_id: 'customer',
      state: 'inactive',
      traits: { email, name: { first: 'y'.repeat(100), last: 'z'.repeat(100) } },
      metadata_public: { [LONG]: LONG },
      external_id: LONG,
    });
    for (const json of [
      { key: 'mail.from', value: 'x' },
      { key: `upstream.${LONG.slice(0, 200)}`, value: LONG, encrypted: true, category: LONG.slice(0, 40) },
    ])
      await suite.call('/api/settings', { json });
  });

  const assertWidth = (page: Page, width: number, what?: string): Promise<void> =>
    eventually(() => page.evaluate(() => document.documentElement.scrollWidth), width, what);
  const goTo = async (page: Page, path: string): Promise<void> => {
    await page.goto(`${suite.dashboard.baseUrl}${path}`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await eventually(() => page.locator('[aria-busy=true]').count(), 0);
  };

  it(`starts lists within the first ${TOP_MAX} px, displays applied filters, and cuts off no text`, () =>
    onPage(suite, { path: '/security/audit?action=login&from=168h', viewport: PHONE }, async ({ page }) => {
      /** Ignores ids: a client without a name has its id in two columns, and the id can be copied. */
      const cutOff = (): Promise<(string | null)[]> =>
        page.locator('main tbody td').evaluateAll((cells) =>
          cells
            .filter((cell) => cell.scrollWidth > cell.clientWidth)
            .map(({ textContent }) => textContent)
            .filter((text) => !/^[\da-f-]{36}$/.test(text ?? '')),
        );
      const startsHigh = async (row: string): Promise<void> => {
        await page.locator(row).first().waitFor();
        await eventually(
          async () => ((await page.locator(row).first().boundingBox())?.y ?? TOP_MAX) < TOP_MAX,
          true,
          row,
        );
        await assertWidth(page, PHONE.width);
      };
      await startsHigh('main ol > li');
      await eventually(() => page.getByRole('button', { name: /^Remove filter (When|What)$/ }).count(), 2);
      const width = (selector: string) => page.locator(selector).evaluate(({ clientWidth }) => clientWidth);
      for (const path of ['/identities?state=active', '/oauth/clients', '/sessions', '/messages', '/oauth/consents']) {
        await page.goto(`${suite.dashboard.baseUrl}${path}`);
        await eventually(() => width('main search form'), PHONE.width - 32, `the search of ${path}`);
        if (path === '/oauth/consents') continue;
        await startsHigh('main tbody tr');
        await eventually(cutOff, [], path);
      }
    }));

  it('has the actions of a list in its menu, and those for selected rows in one row, the actions first', () =>
    onPage(suite, { path: '/identities', viewport: PHONE }, async ({ page }) => {
      await eventually(() => page.getByRole('link', { name: 'Export' }).isVisible(), false);
      await page
        .getByLabel(/^Select .*@/)
        .first()
        .check();
      const bar = page.locator('[data-selection]');
      const left = async (name: RegExp) => (await bar.getByRole('button', { name }).boundingBox())?.x ?? 0;
      await eventually(async () => ((await bar.boundingBox())?.height ?? 99) < 60, true);
      await eventually(async () => (await left(/^Delete…/)) < (await left(/^Clear$/)), true);
      await assertWidth(page, PHONE.width);
      await page.getByRole('button', { name: 'More actions' }).click();
      await page.getByRole('menuitem', { name: 'Import' }).click();
      await page.getByRole('heading', { level: 1, name: 'Import identities' }).waitFor();
    }));

  it('displays the warning of a broken audit chain without moving the records below', () =>
    onLoadedPage(
      suite.dashboard,
      {
        session: suite.sessions.admin,
        path: '/security/audit',
        viewport: PHONE,
        prepare: ({ context }) =>
          context.route('**/api/security/audit/chain', (route) =>
            route.fulfill({
              json: { status: 'broken', verified_to: 1_233, head: 1_240, broken_at: 1_234, as_of: new Date() },
            }),
          ),
      },
      async ({ page }) => {
        await page
          .getByRole('alert')
          .getByText(/^The chain is broken at record 1,234/)
          .waitFor();
      },
    ));

  it('is not widened by long text, and displays in full a text that must be typed before a deletion', () =>
    onPage(suite, { path: '/settings', viewport: PHONE }, async ({ page }) => {
      for (const path of ['/traits', '/json', '/traits/edit', '']) {
        await assertWidth(page, PHONE.width, `before ${path}`);
        await goTo(page, `/identities/${long.id}${path}`);
      }
      await assertWidth(page, PHONE.width);
      await createClient(suite, { client_id: 'long', client_name: LONG, owner: LONG });
      await goTo(page, '/oauth/clients/long');
      await assertWidth(page, PHONE.width, 'a client');
      await storeViews(suite, viewOf('identities', 'v1', LONG.slice(0, 60), 'q=x'));
      await goTo(page, '/identities?q=x');
      await page.getByRole('button', { name: /^Views: x/ }).waitFor();
      await assertWidth(page, PHONE.width, 'a view');
      await goTo(page, `/identities/${long.id}`);
      await chooseAction(page, /^Delete/);
      const dialog = page.getByRole('dialog');
      const code = dialog.locator('label code');
      await code.waitFor();
      const isUncut = (): Promise<boolean> =>
        dialog.evaluate((element) =>
          [element, ...element.querySelectorAll('*')].every(
            (part) => part.scrollWidth <= part.clientWidth + 1 || getComputedStyle(part).overflowX === 'visible',
          ),
        );
      await eventually(isUncut, true);
      const isWithin = async (): Promise<boolean> => {
        const [inner, outer] = [await code.boundingBox(), await dialog.boundingBox()];
        assert.ok(inner && outer);
        return inner.x >= outer.x && inner.x + inner.width <= outer.x + outer.width;
      };
      await eventually(isWithin, true);
      await dialog.getByLabel(/^Type /).fill((await code.textContent()) ?? '');
      await eventually(() => dialog.getByRole('button', { name: 'Delete' }).isEnabled(), true);
    }));

  /** Waits until the element can be scrolled into view with nothing covering its centre. */
  const assertReachable = async (element: Locator): Promise<void> => {
    await element.waitFor();
    await eventually(
      async () => {
        await element.scrollIntoViewIfNeeded();
        return element.evaluate((target) => {
          const { x, y, width, height } = target.getBoundingClientRect();
          const hit = document.elementFromPoint(x + width / 2, y + height / 2);
          return hit !== null && (target.contains(hit) || hit.contains(target));
        });
      },
      true,
      String(element),
    );
  };

  it('leaves navigation, search, rows, dialogs and palette reachable at 400 % zoom', () =>
    onPage(suite, { path: '/identities?state=active', viewport: ZOOMED }, async ({ page }) => {
      await assertWidth(page, ZOOMED.width);
      await assertReachable(searchField(page));
      await assertReachable(page.getByRole('button', { name: 'Next page' }));
      await page
        .getByLabel(/^Select .*@/)
        .nth(10)
        .check();
      await assertReachable(listRows(page).nth(20));
      await page.getByRole('button', { name: 'Delete…' }).click();
      await assertReachable(page.getByRole('dialog').getByLabel(/^Type /));
      await assertReachable(page.getByRole('dialog').getByRole('button', { name: 'Cancel' }));
      await assertWidth(page, ZOOMED.width);
      await page.keyboard.press('Escape');
      await page.evaluate(() => scrollTo(0, 0));
      const burger = page.getByRole('button', { name: 'Navigation' });
      await burger.click();
      await assertReachable(page.getByRole('link', { name: 'System' }));
      await page.keyboard.press('Escape');
      await eventually(() => burger.evaluate((button) => button === document.activeElement), true);
      await page.getByRole('button', { name: 'admin@example.com' }).click();
      await assertReachable(page.getByRole('menuitem', { name: 'Sign out' }));
      await page.keyboard.press('Escape');
      await page.keyboard.press('Control+k');
      await page.getByPlaceholder('Page or action').fill('s');
      await assertReachable(page.getByRole('option').last());
    }));
});
