import type { Page } from 'playwright-core';
import { assertAccessible } from '../support/axe.ts';
import { becomes } from '../support/becomes.ts';
import { needsChromium, type Visit } from '../support/browser.ts';
import { signedInVisit } from '../support/browser-sign-in.ts';
import { type Dashboard, startDashboard } from '../support/dashboard.ts';

describe('a page whose part of the app is on the way, in a browser', () => {
  let dashboard: Dashboard;
  let session: string;
  before(async function () {
    needsChromium(this);
    dashboard = await startDashboard({ sandbox: { people: 3 } });
    session = await dashboard.signIn('admin');
  });
  after(() => dashboard?.close());

  it('shows a skeleton', async () => {
    for (const path of ['/dashboard', '/identities', '/identities/new', '/identities/import', '/settings', '/system'])
      await signedInVisit(dashboard, session, { path: '/no/such/page' }, async ({ page, context }) => {
        let letGo = (): void => {};
        const open = new Promise<void>((resolve) => {
          letGo = resolve;
        });
        await context.route(/\/assets\/.*-page-.*\.js$/, async (route) => {
          await open;
          await route.continue();
        });
        await page.evaluate((to) => {
          history.pushState(null, '', to);
          dispatchEvent(new PopStateEvent('popstate'));
        }, path);
        await page.locator('[aria-busy=true]').first().waitFor();
        await assertAccessible(page, `the skeleton of ${path}`);
        letGo();
        await page.getByRole('heading', { level: 1, name: 'Page not found' }).waitFor({ state: 'detached' });
        await page.getByRole('heading', { level: 1 }).waitFor();
      });
  });
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
  const draft = (page: Page) => page.getByRole('dialog').getByRole('textbox', { name: 'Key' });

  it('really tries again once the service is back', () =>
    visit('/signed-out', async ({ page, context, problems }) => {
      // From the beginning: the app loads it by itself after some seconds.
      await context.route(/\/assets\/palette.*\.js/, (route) => route.abort());
      await page.goto(`${dashboard.baseUrl}/settings?new=true`);
      await draft(page).fill('a.key');
      await context.route(/\/assets\/.*|\/settings\?.*/, (route) => route.abort());
      await page.getByRole('dialog').getByLabel('Close').focus();
      await page.keyboard.press('Control+k');
      await page.getByText('This part could not be loaded').waitFor();
      await becomes(() => draft(page).inputValue(), 'a.key');
      await context.unrouteAll();
      await page.getByRole('button', { name: 'Try again' }).click();
      await page.getByPlaceholder('Page or action').waitFor();
      await page.keyboard.press('Escape');
      await becomes(() => draft(page).inputValue(), 'a.key');
      problems.splice(0, problems.length, ...problems.filter((problem) => !problem.includes('net::ERR_FAILED')));
    }));

  it('shows a page whose files did not arrive with it, once they can be had', () =>
    visit('/dashboard', async ({ page, context, problems }) => {
      await context.route(/\/assets\/(?:settings-page|Table|parts)/, (route) => route.abort());
      await page.goto(`${dashboard.baseUrl}/settings`);
      await page.getByText('This part could not be loaded').waitFor();
      await context.unrouteAll();
      await page.getByRole('button', { name: 'Try again' }).click();
      await page.getByText('No settings yet').waitFor();
      problems.splice(0, problems.length, ...problems.filter((problem) => !problem.includes('net::ERR_FAILED')));
    }));

  it('offers the new version in place of a page that went with the old one', () =>
    visit('/dashboard', async (visited) => {
      const { page, context } = visited;
      await deployed(visited, /\/assets\/(?:settings-page|list-skeleton).*\.js/);
      await page.getByRole('link', { name: 'Settings', exact: true }).first().click();
      await page.getByText('A new version is available').waitFor();
      await context.unrouteAll();
      await page.getByRole('button', { name: 'Reload' }).click();
      await page.getByText('No settings yet').waitFor();
    }));

  it('keeps a draft when a dialog over it is missing', () =>
    visit('/settings', async (visited) => {
      const { page } = visited;
      await page.getByText('No settings yet').waitFor();
      await deployed(visited, /\/assets\/encrypt-tool.*\.js/);
      await page.getByRole('button', { name: 'Encrypt a value' }).click();
      await page.getByText('A new version is available').waitFor();
      await page.getByText('No settings yet').waitFor();
      await page.getByRole('button', { name: 'Dismiss' }).click();
      await page.getByText('A new version is available').waitFor({ state: 'detached' });
    }));
});
