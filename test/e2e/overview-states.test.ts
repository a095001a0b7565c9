import assert from 'node:assert/strict';
import { WIDGETS } from '../../client/features/overview/widgets/catalogue.ts';
import { assertAccessibleInAllLooks } from '../support/axe.ts';
import { becomes } from '../support/becomes.ts';
import { needsChromium } from '../support/browser.ts';
import { type Dashboard, startDashboard } from '../support/dashboard.ts';
import { BUSY, EMPTY, failAll, UNKNOWN } from '../support/overview-answers.ts';
import { onOverview } from '../support/overview-visit.ts';

describe('the overview, in a browser', function () {
  this.timeout(90_000);
  let dashboard: Dashboard;
  const sessions = {} as Record<'admin' | 'viewer', string>;
  before(async function () {
    needsChromium(this);
    dashboard = await startDashboard();
    sessions.admin = await dashboard.signIn('admin');
    sessions.viewer = await dashboard.signIn('viewer');
  });
  after(() => dashboard?.close());

  for (const [what, answers, text] of [
    ['busy', BUSY, '48,213'],
    ['empty', EMPTY, 'Nobody has signed in yet.'],
    ['unknown', UNKNOWN, 'Nothing has been read yet. The identity service is slow or not connected.'],
  ] as const)
    it(`is accessible in all colours and widths when it is ${what}`, () =>
      onOverview(
        dashboard,
        sessions.admin,
        async ({ page }) => {
          await page.getByText(text).first().waitFor();
          await page.locator('[data-widget="session-map"] p').first().waitFor();
          await page
            .locator('[data-widget="clients-by-grant"] [data-note], [data-widget="clients-by-grant"] p')
            .first()
            .waitFor();
          await assertAccessibleInAllLooks(page, `the ${what} overview`);
        },
        { answers },
      ));

  it('is accessible in all colours and widths when everything failed', () =>
    onOverview(
      dashboard,
      sessions.admin,
      async ({ page }) => {
        await page.locator('[data-widget="session-map"]').getByText('r-17').waitFor();
        await assertAccessibleInAllLooks(page, 'the failed overview');
      },
      {
        answers: {},
        prepare: ({ context, expect }) => {
          expect(500, /^\/api\//);
          return failAll(context);
        },
      },
    ));

  it('says of every part that failed why, with the request id, and tries that part again', () => {
    let away = true;
    return onOverview(
      dashboard,
      sessions.admin,
      async ({ page }) => {
        const services = page.locator('[data-widget="services"]');
        await services.getByText('Unknown. Something went wrong.').waitFor();
        await services.getByText('r-31').waitFor();
        await page.getByText('48,213', { exact: true }).waitFor();
        away = false;
        await services.getByRole('button', { name: 'Try again' }).click();
        await services.getByText('1 of 7 configured services is not up: OAuth 2.0 admin.').waitFor();
      },
      {
        prepare: ({ context, expect }) => {
          expect(500, '/api/services');
          return context.route('**/api/services', (route) =>
            away
              ? route.fulfill({
                  status: 500,
                  headers: { 'x-request-id': 'r-31' },
                  json: { error: 'internal_error', message: 'Something went wrong.' },
                })
              : route.fallback(),
          );
        },
      },
    );
  });

  it('says what each number covers and how old it is', () =>
    onOverview(dashboard, sessions.admin, async ({ page }) => {
      await page.locator('[data-widget="peak-hours"] [data-note]').waitFor();
      await page.locator('[data-widget="session-map"] [data-note]').waitFor();
      const notes = new Map<string, string>();
      for (const { id } of WIDGETS)
        notes.set(id, (await page.locator(`[data-widget="${id}"] [data-note]`).textContent()) ?? '');
      for (const [id, note] of notes) assert.match(note, /(?:just now|\d+ (?:s|min) ago)$/, id);
      assert.match(notes.get('verification-rate') ?? '', /^of 20,000 checked, [345]\d s ago$/);
      assert.match(notes.get('sign-ins') ?? '', /^of the latest 20,000 sessions since /);
      assert.match(notes.get('clients-by-grant') ?? '', /^of all 37, /);
    }));

  it('shows every chart as a table on request, with a sentence beside it', () =>
    onOverview(dashboard, sessions.admin, async ({ page }) => {
      for (const { id, title } of WIDGETS.filter(({ drawn }) => drawn)) {
        const widget = page.locator(`[data-widget="${id}"]`);
        await becomes(() => widget.locator('p').first().textContent(), /\.$/, title);
        const toggle = page.getByRole('button', { name: `${title} as a table` });
        await toggle.press('Enter');
        await widget.getByRole('row').nth(1).waitFor();
        await becomes(() => toggle.getAttribute('aria-pressed'), 'true');
      }
      await assertAccessibleInAllLooks(page, 'the tables');
      const peak = page.locator('[data-widget="peak-hours"]');
      await becomes(() => peak.getByRole('row').count(), 25);
      const map = page.locator('[data-widget="session-map"]');
      await becomes(() => map.getByRole('row').last().textContent(), 'Unknown location330');
    }));

  it('goes from circle to circle of the map by keys, and says who is behind the chosen one', () =>
    onOverview(dashboard, sessions.admin, async ({ page }) => {
      const map = page.locator('[data-widget="session-map"]');
      await map.getByText('Unknown location: at least 330 sessions').waitFor();
      const circles = map.getByRole('group', { name: /^Map of places/ }).getByRole('button', { name: / sessions?$/ });
      await becomes(() => circles.count(), 16);
      await circles.first().focus();
      const focused = () => page.evaluate(() => document.activeElement?.getAttribute('aria-label'));
      await becomes(() => focused(), 'Germany: at least 1,840 sessions');
      await page.keyboard.press('ArrowRight');
      await becomes(() => focused(), 'United States: at least 1,422 sessions');
      await page.keyboard.press('End');
      await becomes(() => focused(), 'New Zealand: at least 5 sessions');
      await page.keyboard.press('ArrowRight');
      await page.keyboard.press('Home');
      await page.keyboard.press('Enter');
      await map.locator('p').getByText('Germany').last().waitFor();
      await becomes(() => circles.first().getAttribute('aria-pressed'), 'true');
      assert.equal(await map.getByText(/^Unknown location/).count(), 0);
      await page.keyboard.press('Tab');
      assert.ok(!(await focused())?.includes('sessions'), 'the map is one stop of the Tab key');
      await assertAccessibleInAllLooks(page, 'the map with a chosen circle');
    }));

  it('is painted before any chart and any place has arrived', () => {
    let release = (): void => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    return onOverview(
      dashboard,
      sessions.admin,
      async ({ page }) => {
        await page.getByText('48,213', { exact: true }).waitFor();
        await page.locator('[data-widget="services"]').getByText('Database').waitFor();
        await becomes(() => page.locator('[data-widget]').count(), 13);
        assert.equal(await page.locator('[data-widget="sign-ins"] p').count(), 0);
        release();
        await page.locator('[data-widget="sign-ins"] p').first().waitFor();
        await page
          .locator('[data-widget="session-map"]')
          .getByText('Unknown location: at least 330 sessions')
          .waitFor();
      },
      {
        prepare: ({ context }) =>
          context.route(
            /\/assets\/(?:drawn-widgets|session-map-widget|plot|world)[\w-]*\.js$|\/api\/session-locations/,
            async (route) => {
              await held;
              await route.fallback();
            },
          ),
      },
    );
  });

  it('offers a viewer what a viewer may see, and asks for nothing else', async () => {
    const asked: string[] = [];
    await onOverview(
      dashboard,
      sessions.viewer,
      async ({ page }) => {
        await page.getByText('48,213', { exact: true }).waitFor();
        await page
          .locator('[data-widget="session-map"]')
          .getByText('Unknown location: at least 330 sessions')
          .waitFor();
        for (const id of ['recent-audit', 'locked-accounts', 'posture'])
          assert.equal(await page.locator(`[data-widget="${id}"]`).count(), 0, id);
        await becomes(() => page.locator('[data-widget]').count(), 10);
        await page.getByRole('button', { name: 'Arrange', exact: true }).click();
        await page.getByText('Every widget is shown.').waitFor();
        const links = await page
          .locator('[data-widget] h2 a')
          .evaluateAll((all) => all.map((a) => a.getAttribute('href')));
        assert.deepEqual(links, ['/system'], 'no link to a page that is closed to them');
      },
      {
        prepare: async ({ context }) => {
          context.on('request', (request) => asked.push(new URL(request.url()).pathname));
        },
      },
    );
    assert.deepEqual(
      asked.filter((path) => path.startsWith('/api/security') || path === '/api/config'),
      [],
    );
  });

  it('leads to the page that a widget summarises', () =>
    onOverview(dashboard, sessions.admin, async ({ page }) => {
      await page.locator('[data-widget="services"]').getByRole('link', { name: 'Services' }).click();
      await page.getByRole('heading', { level: 1, name: 'System' }).waitFor();
      await page.goBack();
      await page
        .locator('[data-widget="identities-total"]')
        .getByRole('link', { name: 'Identities', exact: true })
        .click();
      await page.getByRole('heading', { level: 1, name: 'Identities' }).waitFor();
    }));
});
