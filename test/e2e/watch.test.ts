import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { needsChromium, visiting } from '../support/browser.ts';
import { originsOf } from '../support/browser-sign-in.ts';
import { type Dashboard, startDashboard } from '../support/dashboard.ts';

describe('the watch over every page in these tests', () => {
  let dashboard: Dashboard;
  before(async function () {
    needsChromium(this);
    dashboard = await startDashboard();
  });
  after(() => dashboard?.close());

  const failsOn = (what: RegExp, deed: (page: Page) => Promise<unknown>): Promise<void> =>
    assert.rejects(
      visiting({ origins: originsOf(dashboard) }, async ({ page, problems }) => {
        await page.goto(`${dashboard.baseUrl}/signed-out`);
        await page.getByRole('link', { name: 'Sign in' }).waitFor();
        assert.deepEqual(problems, []);
        await deed(page);
        // The browser's own page for an address that nothing answers has no more than this.
        await page.locator('body').waitFor({ state: 'attached' });
      }),
      ({ message }: Error) => what.test(message),
    );

  it('fails on an inline style, which the policy forbids', () =>
    failsOn(/policy report: style-src/, (page) =>
      page.evaluate(() => document.body.insertAdjacentHTML('beforeend', '<p style="color: red">x</p>')),
    ));

  it('fails on an image of another origin', () =>
    failsOn(/foreign request: http:\/\/127\.0\.0\.1:1\/|policy report: img-src/, (page) =>
      page.evaluate(() => document.body.insertAdjacentHTML('beforeend', '<img src="http://127.0.0.1:1/x.png">')),
    ));

  it('fails on an exception that nothing catches', () =>
    failsOn(/uncaught: Error: left alone/, (page) =>
      page.evaluate(() => {
        setTimeout(() => {
          throw new Error('left alone');
        });
      }),
    ));

  it('fails on a response that the test did not expect', () =>
    failsOn(/console: Failed to load resource/, (page) => page.evaluate(() => fetch('/api/config'))));
});
