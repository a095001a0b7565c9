import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { ofBrowserSuite, originsOf, visiting } from '../support/browser.ts';
import { startDashboard } from '../support/dashboard.ts';

describe('a browser test', () => {
  const dashboard = ofBrowserSuite(startDashboard);

  const failsOn = (problem: RegExp, action: (page: Page) => Promise<unknown>): Promise<void> =>
    assert.rejects(
      visiting({ origins: originsOf(dashboard) }, async ({ page, problems }) => {
        await page.goto(`${dashboard.baseUrl}/signed-out`);
        await page.getByRole('link', { name: 'Sign in' }).waitFor();
        assert.deepEqual(problems, []);
        await action(page);
        // The body is all that an error page of the browser has.
        await page.locator('body').waitFor({ state: 'attached' });
      }),
      ({ message }: Error) => problem.test(message),
    );

  for (const [title, problem, html] of [
    ['an inline style, which the policy forbids', /policy report: style-src/, '<p style="color: red">x</p>'],
    ['an image of another origin', /foreign request|policy report: img-src/, '<img src="http://127.0.0.1:1/x.png">'],
  ] as const)
    it(`fails if the page has ${title}`, () =>
      failsOn(problem, (page) => page.evaluate((text) => document.body.insertAdjacentHTML('beforeend', text), html)));

  it('fails on an uncaught exception and on an unexpected error response', async () => {
    await failsOn(/uncaught: Error: not caught/, (page) =>
      page.evaluate(
        () =>
          new Promise((resolve) => {
            setTimeout(() => {
              setTimeout(resolve);
              throw new Error('not caught');
            });
          }),
      ),
    );
    await failsOn(/console: Failed to load resource/, (page) => page.evaluate(() => fetch('/api/config')));
  });
});
