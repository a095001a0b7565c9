import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import type { IdentityPage } from '../../shared/identities.ts';
import { assertAccessibleInAllLooks } from '../support/axe.ts';
import { becomes } from '../support/becomes.ts';
import { failing, visitedPageOfSuite } from '../support/security-pages.ts';

const SECRET = 'a-secret-that-nobody-guesses';

describe('the history of an identity and of a setting, in a browser', function () {
  this.timeout(90_000);
  const visited = visitedPageOfSuite('/settings', 'Settings', { sandbox: { people: 2 } });
  let id: string;
  let untouched: string;
  before(async () => {
    const { dashboard, sessions } = visited;
    const call = (path: string, options: object = {}) => dashboard.call(path, { session: sessions.admin, ...options });
    const { identities } = (await (await call('/api/identities')).json()) as IdentityPage;
    const operators = (['admin', 'viewer'] as const).map((role) => dashboard.operator(role).email);
    const people = identities.filter(({ traits }) => !operators.includes(String(traits.email)));
    [id, untouched] = people.map((person) => person.id) as [string, string];
    const json = [{ op: 'replace', path: '/state', value: 'inactive' }];
    assert.equal((await call(`/api/identity-admin/admin/identities/${id}`, { method: 'PATCH', json })).status, 200);
    for (const encrypted of [false, true])
      assert.ok((await call('/api/settings', { json: { key: 'mail.password', value: SECRET, encrypted } })).ok);
    await call('/api/settings', { json: { key: 'gone', value: 'x' } });
    await call('/api/settings/gone', { method: 'DELETE' });
  });

  const records = (page: Page) => page.getByRole('list', { name: 'History, the latest first' }).getByRole('listitem');
  const goTo = (page: Page, path: string) => page.goto(`${visited.dashboard.baseUrl}${path}`);

  it('of an identity says who changed it, and leads to the trail', () =>
    visited.visit(async ({ page }) => {
      await goTo(page, `/identities/${id}`);
      await page.getByRole('link', { name: 'History', exact: true }).focus();
      await page.keyboard.press('Enter');
      await records(page)
        .getByText(/You changed the identity/)
        .waitFor();
      await becomes(() => records(page).count(), 1);
      await assertAccessibleInAllLooks(page, 'the history');
      await page.getByRole('link', { name: 'Open in the audit trail' }).press('Enter');
      await page.getByRole('heading', { level: 1, name: 'Audit trail' }).waitFor();
      await becomes(() => new URL(page.url()).searchParams.get('subject'), `identity:${id}`);
    }));

  it('says when nothing was recorded', () =>
    visited.visit(async ({ page }) => {
      await goTo(page, `/identities/${untouched}/history`);
      await page.getByText('Nothing recorded').waitFor();
      await assertAccessibleInAllLooks(page, 'the empty history');
    }));

  it('of a setting opens in its editor by keyboard and says what changed, never the value', () =>
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

  it('of a setting is there when the setting is deleted', () =>
    visited.visit(async ({ page, expect }) => {
      expect(404, '/api/settings/gone');
      await goTo(page, '/settings?key=gone');
      await page.getByText('It may have been deleted').waitFor();
      await page.getByRole('dialog').getByRole('button', { name: 'History' }).click();
      await records(page)
        .first()
        .getByText(/deleted the setting/)
        .waitFor();
    }));

  it('says what failed, with the request’s id, and tries again', () =>
    visited.visit(async (visit) => {
      const { page } = visit;
      const { mend } = await failing(visit, '/api/security/audit');
      await goTo(page, `/identities/${id}/history`);
      await page.getByRole('alert').getByText('r-17').waitFor();
      await assertAccessibleInAllLooks(page, 'the failed history');
      await mend();
      await page.getByRole('button', { name: 'Try again' }).click();
      await records(page).first().waitFor();
    }));

  it('is closed to viewers with the identity itself', () =>
    visited.visit(
      async ({ page }) => {
        await page.getByText('Admin access required.').waitFor();
      },
      { role: 'viewer', path: `/identities/${id}/history`, heading: 'Identity' },
    ));
});
