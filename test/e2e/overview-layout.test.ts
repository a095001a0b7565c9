import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { assertAccessibleInAllLooks } from '../support/axe.ts';
import { becomes } from '../support/becomes.ts';
import { needsChromium } from '../support/browser.ts';
import { type Dashboard, startDashboard } from '../support/dashboard.ts';
import { onOverview, placeOf, saved, storedLayout, storeLayout } from '../support/overview-visit.ts';

describe('the stored layout of the overview, in a browser', function () {
  this.timeout(90_000);
  let dashboard: Dashboard;
  let session: string;
  before(async function () {
    needsChromium(this);
    dashboard = await startDashboard();
    session = await dashboard.signIn('admin');
  });
  beforeEach(() => storeLayout(dashboard, session, null));
  after(() => dashboard?.close());

  const stored = () => storedLayout(dashboard, session);
  const remove = async (page: Page, title: string): Promise<void> => {
    const arrange = page.getByRole('button', { name: 'Arrange', exact: true });
    const removal = page.getByRole('button', { name: `Remove ${title}`, exact: true });
    await arrange.or(removal).waitFor();
    if (await arrange.isVisible()) await arrange.click();
    await removal.click();
  };
  const conflict = (page: Page) => page.getByRole('alert').filter({ hasText: 'was changed elsewhere' });

  /** Two tabs that read the same layout; the second one saves first. */
  const inTwoTabs = (work: (first: Page, second: Page) => Promise<void>): Promise<void> =>
    onOverview(dashboard, session, async ({ page, context, expect }) => {
      expect(412, '/api/dashboard/layout');
      await page.locator('button:enabled', { hasText: /^Arrange$/ }).waitFor();
      const second = await context.newPage();
      await second.goto(`${dashboard.baseUrl}/dashboard`);
      await remove(second, 'Security posture');
      await saved(second);
      await page.bringToFront();
      await remove(page, 'Services');
      await conflict(page).waitFor();
      await becomes(async () => (await stored())?.hidden, ['posture'], 'nothing is overwritten unnoticed');
      await work(page, second);
    });

  it('of another tab is taken on request', () =>
    inTwoTabs(async (page) => {
      await assertAccessibleInAllLooks(page, 'the choice');
      const focused = () => page.evaluate(() => document.activeElement?.textContent);
      await becomes(() => focused(), 'Take theirs');
      await page.keyboard.press('Tab');
      await becomes(() => focused(), 'Keep mine');
      await page.keyboard.press('Shift+Tab');
      await page.keyboard.press('Enter');
      await conflict(page).waitFor({ state: 'detached' });
      await page.getByRole('button', { name: 'Add Security posture' }).waitFor();
      await page.getByRole('button', { name: 'Remove Services', exact: true }).waitFor();
      assert.notEqual(await page.evaluate(() => document.activeElement?.tagName), 'BODY');
      await becomes(async () => (await stored())?.hidden, ['posture']);
      await remove(page, 'Sign-ins');
      await saved(page);
      await becomes(async () => (await stored())?.hidden, ['posture', 'sign-ins']);
    }));

  it('is overwritten on request, with what was arranged here', () =>
    inTwoTabs(async (page, second) => {
      const arrange = page.getByRole('button', { name: 'Arrange Identities', exact: true });
      await arrange.press('ArrowRight');
      await becomes(async () => (await stored())?.hidden, ['posture'], 'nothing is arranged while the choice is open');
      await page.getByRole('button', { name: 'Keep mine' }).press('Enter');
      await saved(page);
      await becomes(async () => (await stored())?.hidden, ['services']);
      await remove(second, 'Peak hours');
      await conflict(second).waitFor();
      await becomes(async () => (await stored())?.hidden, ['services']);
    }));

  it('from before a widget existed shows it, and keeps what this version does not know', () =>
    onOverview(
      dashboard,
      session,
      async ({ page }) => {
        await page.locator('[data-widget="session-map"]').waitFor();
        assert.equal(await page.locator('[data-widget="from-tomorrow"]').count(), 0);
        assert.equal(await page.locator('[data-widget="services"]').count(), 0);
        await remove(page, 'Peak hours');
        await saved(page);
        const layout = await stored();
        assert.deepEqual(placeOf(layout, 'from-tomorrow'), { id: 'from-tomorrow', x: 2, y: 40, w: 5, h: 7 });
        assert.deepEqual(layout?.hidden, ['services', 'peak-hours', 'gone-yesterday']);
        assert.ok(placeOf(layout, 'session-map'), 'a widget that appeared is part of the layout from now on');
      },
      {
        prepare: () =>
          storeLayout(dashboard, session, {
            widgets: [
              { id: 'from-tomorrow', x: 2, y: 40, w: 5, h: 7 },
              { id: 'identities-total', x: 4, y: 3, w: 8, h: 2 },
            ],
            hidden: ['gone-yesterday', 'services'],
          }),
      },
    ));

  it('that cannot be read is not overwritten: the standard one is shown, and reading is tried again', () => {
    let away = true;
    return onOverview(
      dashboard,
      session,
      async ({ page }) => {
        await page.getByText('r-23').waitFor();
        await becomes(() => page.locator('[data-widget]').count(), 13);
        await becomes(() => page.getByRole('button', { name: 'Arrange', exact: true }).isDisabled(), true);
        await assertAccessibleInAllLooks(page, 'the overview without a layout');
        away = false;
        await page.getByRole('button', { name: 'Try again' }).first().click();
        await page.getByText('r-23').waitFor({ state: 'detached' });
        await becomes(() => page.getByRole('button', { name: 'Arrange', exact: true }).isEnabled(), true);
      },
      {
        prepare: ({ context, expect }) => {
          expect(503, '/api/dashboard/layout');
          return context.route('**/api/dashboard/layout', (route) =>
            away
              ? route.fulfill({
                  status: 503,
                  headers: { 'x-request-id': 'r-23' },
                  json: { error: 'service_unavailable', message: 'The service is not available at the moment.' },
                })
              : route.continue(),
          );
        },
      },
    );
  });

  it('that could not be saved is kept on the page, with the reason, until it is', () =>
    onOverview(dashboard, session, async ({ page, context, expect }) => {
      expect(503, '/api/dashboard/layout');
      let away = true;
      await context.route('**/api/dashboard/layout', (route) =>
        away && route.request().method() === 'PUT'
          ? route.fulfill({
              status: 503,
              headers: { 'x-request-id': 'r-24' },
              json: { error: 'service_unavailable', message: 'The service is not available at the moment.' },
            })
          : route.continue(),
      );
      await remove(page, 'Services');
      await page.getByText('r-24').waitFor();
      await becomes(() => page.locator('[data-widget="services"]').count(), 0);
      await becomes(() => stored(), null);
      await assertAccessibleInAllLooks(page, 'the failed save');
      away = false;
      await page.getByRole('button', { name: 'Save again' }).click();
      await saved(page);
      await becomes(async () => (await stored())?.hidden, ['services']);
    }));

  it('belongs to one operator alone', async () => {
    const viewer = await dashboard.signIn('viewer');
    await onOverview(dashboard, session, async ({ page }) => {
      await remove(page, 'Services');
      await saved(page);
    });
    await onOverview(dashboard, viewer, async ({ page }) => {
      await page.locator('[data-widget="services"]').waitFor();
    });
    await becomes(() => storedLayout(dashboard, viewer), null);
  });
});
