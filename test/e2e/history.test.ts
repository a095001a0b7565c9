import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { assertAccessibleInAllLooks } from '../support/axe.ts';
import { becomes } from '../support/becomes.ts';
import { failing, visitedPageOfSuite } from '../support/security-pages.ts';

const SECRET = 'a-secret-that-nobody-guesses';

describe('the history of a setting, in a browser', function () {
  this.timeout(90_000);
  const visited = visitedPageOfSuite('/settings', 'Settings');
  before(async () => {
    const { dashboard, sessions } = visited;
    const call = (path: string, options: object = {}) => dashboard.call(path, { session: sessions.admin, ...options });
    for (const encrypted of [false, true])
      assert.ok((await call('/api/settings', { json: { key: 'mail.password', value: SECRET, encrypted } })).ok);
    await call('/api/settings', { json: { key: 'gone', value: 'x' } });
    await call('/api/settings/gone', { method: 'DELETE' });
  });

  const records = (page: Page) => page.getByRole('list', { name: 'History, the latest first' }).getByRole('listitem');
  const goTo = (page: Page, path: string) => page.goto(`${visited.dashboard.baseUrl}${path}`);

  it('opens in its editor by keyboard and says what changed, never the value', () =>
    visited.visit(async ({ page }) => {
      await goTo(page, '/settings?key=mail.password');
      const history = page.getByRole('dialog').getByRole('button', { name: 'History' });
      await history.focus();
      await page.keyboard.press('Enter');
      await records(page)
        .first()
        .getByText(/You changed the setting/)
        .waitFor();
      await becomes(() => history.getAttribute('aria-expanded'), 'true');
      await becomes(() => records(page).first().textContent(), /stored encrypted/);
      await becomes(() => records(page).nth(1).textContent(), /created the setting.*stored in plain text/);
      assert.ok(!(await page.content()).includes(SECRET));
      await assertAccessibleInAllLooks(page, 'the history of a setting');
    }));

  it('is there when the setting is deleted', () =>
    visited.visit(async ({ page, expect }) => {
      expect(404, '/api/settings/gone');
      await goTo(page, '/settings?key=gone');
      await page.getByText('It may have been deleted').waitFor();
      await records(page)
        .first()
        .getByText(/deleted the setting/)
        .waitFor();
    }));

  it('says what failed, with the request’s id, and tries again', () =>
    visited.visit(async (visit) => {
      const { page } = visit;
      const { mend } = await failing(visit, '/api/security/audit');
      await goTo(page, '/settings?key=mail.password');
      await page.getByRole('dialog').getByRole('button', { name: 'History' }).click();
      await page.getByRole('alert').getByText('r-17').waitFor();
      await assertAccessibleInAllLooks(page, 'the failed history');
      await mend();
      await page.getByRole('button', { name: 'Try again' }).click();
      await records(page).first().waitFor();
    }));
});
