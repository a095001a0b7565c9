import assert from 'node:assert/strict';
import type { Page, Route } from 'playwright-core';
import { becomes, until } from '../support/becomes.ts';
import { needsChromium, type Visit, visiting } from '../support/browser.ts';
import { originsOf, signedInVisit } from '../support/browser-sign-in.ts';
import { type Dashboard, startDashboard } from '../support/dashboard.ts';
import { indexIsRead } from '../support/index-is-read.ts';

describe('what has not arrived yet, in a browser', () => {
  let dashboard: Dashboard;
  let session: string;
  before(async function () {
    needsChromium(this);
    dashboard = await startDashboard({ sandbox: { people: 3 } });
    session = await dashboard.signIn('admin');
    await indexIsRead(dashboard, session);
  });
  after(() => dashboard?.close());

  const busy = (page: Page) => page.locator('[aria-busy=true]').first();

  /** Opens a page, signed in, and holds requests that match the pattern until released; records the requested paths. */
  const held = (
    path: string,
    pattern: RegExp,
    work: (visit: Visit, letGo: () => Promise<void>, asked: readonly string[]) => Promise<void>,
  ): Promise<void> =>
    visiting({ origins: originsOf(dashboard) }, async (visit) => {
      const asked: string[] = [];
      visit.context.on('request', (request) => asked.push(new URL(request.url()).pathname));
      await visit.context.addCookies([{ name: 'dashboard-session', value: session, url: dashboard.baseUrl }]);
      const waiting: Route[] = [];
      let open = false;
      await visit.context.route(pattern, (route) => (open ? route.continue() : void waiting.push(route)));
      await visit.page.goto(`${dashboard.baseUrl}${path}`, { waitUntil: 'commit' });
      await work(
        visit,
        async () => {
          open = true;
          await Promise.all(waiting.map((route) => route.continue()));
        },
        asked,
      );
    });

  it('a list shows a skeleton while its script or its chunk is on the way', async () => {
    for (const pattern of [/\/assets\/index-.*\.js$/, /\/assets\/identities-page.*\.js$/])
      await held('/identities', pattern, async ({ page }, letGo) => {
        await busy(page).waitFor();
        await letGo();
        await page.locator('tr[data-row]').first().waitFor();
        await becomes(() => busy(page).count(), 0);
      });
  });

  it('each file is asked for once, before the app runs', () =>
    held('/identities', /\/assets\/libraries-/, async ({ page }, letGo, asked) => {
      await page.locator('#root').waitFor({ state: 'attached' });
      const named = await page
        .locator('head link:is([rel=modulepreload], [rel=preload])')
        .evaluateAll((links) => links.map((link) => new URL((link as HTMLLinkElement).href).pathname));
      assert.ok(named.some((file) => file.startsWith('/assets/parts-')));
      await until(() => named.every((file) => asked.includes(file)));
      await letGo();
      await page.getByRole('heading', { level: 1, name: 'Identities' }).waitFor();
      const files = asked.filter((file) => file.startsWith('/assets/'));
      assert.deepEqual(files, [...new Set(files)]);
    }));

  it('the session and the first page’s data are asked for before the app is drawn', () =>
    visiting({ origins: originsOf(dashboard) }, async ({ context, page }) => {
      await context.addCookies([{ name: 'dashboard-session', value: session, url: dashboard.baseUrl }]);
      await context.addInitScript(() => {
        const order: string[] = [];
        Object.assign(globalThis, { order });
        const ask = fetch;
        globalThis.fetch = (...what) => {
          order.push(new URL(String(what[0]), location.href).pathname);
          return ask(...what);
        };
        const drawn = new MutationObserver(() => order.push('drawn'));
        // Between the HTML, which has its own skeleton, and the app.
        document.addEventListener('readystatechange', () => {
          const holder = document.getElementById('root');
          if (document.readyState === 'interactive' && holder !== null) drawn.observe(holder, { childList: true });
        });
      });
      await page.goto(`${dashboard.baseUrl}/identities`);
      await page.locator('tr[data-row]').first().waitFor();
      const order = await page.evaluate(() => (globalThis as unknown as { order: string[] }).order);
      assert.ok(order.includes('drawn'));
      const first = order.slice(0, order.indexOf('drawn'));
      assert.deepEqual(
        ['/api/auth/session', '/api/identities/search'].filter((path) => !first.includes(path)),
        [],
      );
    }));
});

describe('a part of the app that does not arrive, in a browser', () => {
  let dashboard: Dashboard;
  let session: string;
  before(async function () {
    needsChromium(this);
    dashboard = await startDashboard();
    session = await dashboard.signIn('admin');
  });
  after(() => dashboard?.close());

  const visit = (path: string, work: (visit: Visit) => Promise<void>): Promise<void> =>
    signedInVisit(dashboard, session, { path }, async (visited) => {
      visited.expect(404, /^\/assets\//);
      await work(visited);
    });
  /** Simulates a deployment: this version's files are gone, and the page names new ones. */
  const deployed = async ({ context }: Visit, pattern: RegExp): Promise<void> => {
    await context.route(pattern, (route) => route.fulfill({ status: 404, body: '' }));
    await context.route(/\/(?:settings|dashboard|identities)(?:\/new)?(?:\?.*)?$/, async (route) => {
      const answer = await route.fetch();
      await route.fulfill({
        response: answer,
        body: (await answer.text()).replaceAll(/index-[\w-]+\.js/g, 'index-NEW.js'),
      });
    });
  };

  it('leaves page and draft as they are when the palette is missing, and says that a new version is here', () =>
    visit('/signed-out', async (visited) => {
      const { page, context } = visited;
      // From the beginning: the app loads it by itself after some seconds.
      await context.route(/\/assets\/palette.*\.js/, (route) => route.fulfill({ status: 404, body: '' }));
      await page.goto(`${dashboard.baseUrl}/identities/new?schema=customer`);
      await page.getByLabel('External id').fill('crm-1');
      await deployed(visited, /\/assets\/palette.*\.js/);
      await page.keyboard.press('Control+k');
      await page.getByText('A new version is available').waitFor();
      await becomes(() => page.getByLabel('External id').inputValue(), 'crm-1');
      await context.unrouteAll();
      await page.getByRole('button', { name: 'Reload' }).click();
      await page.getByText('Your unsaved changes were restored').waitFor();
      await becomes(() => page.getByLabel('External id').inputValue(), 'crm-1');
    }));

  it('keeps the frame around a page whose part is missing, and shows the page once it can be had', () =>
    visit('/dashboard', async ({ page, context, problems }) => {
      await context.route(/\/assets\/.*|\/system$/, (route) => route.abort());
      await page.getByRole('link', { name: 'System', exact: true }).first().click();
      await page.getByText('This part could not be loaded').waitFor();
      await page.getByRole('navigation', { name: 'Pages' }).waitFor();
      await context.unrouteAll();
      await page.getByRole('button', { name: 'Try again' }).click();
      await page.getByText('/api/oauth-admin').waitFor();
      problems.splice(0, problems.length, ...problems.filter((problem) => !problem.includes('net::ERR_FAILED')));
    }));
});
