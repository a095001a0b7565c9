import assert from 'node:assert/strict';
import { assertAccessibleInAllLooks } from '../support/axe.ts';
import { becomes } from '../support/becomes.ts';
import type { Visit } from '../support/browser.ts';
import type { Looks } from '../support/intercepted-dashboard.ts';
import { storedSessions, writesSeen } from '../support/session-pages.ts';
import { sessionVisitsOfSuite } from '../support/session-visits.ts';

const LIST = '/api/identity-admin/admin/sessions';

describe('one of the sessions, in a browser', () => {
  const { mapped, sessionAt, visit } = sessionVisitsOfSuite();
  const visitSession = (index: number, work: (visit: Visit) => Promise<void>, looks: Looks = {}): Promise<void> =>
    visit(`/sessions/${storedSessions(index + 1).sessions[index]?.id}`, work, { heading: `p${index}@`, ...looks });

  it(`says whose it is, from where and how, and is accessible in all colours and widths`, () =>
    visitSession(0, async ({ page }) => {
      await page.getByRole('link', { name: 'p0@example.test' }).waitFor();
      await page.getByText('Oslo, Norway').waitFor();
      await page.getByText('By password').waitFor();
      await assertAccessibleInAllLooks(page, 'a session');
    }));

  it('is extended, or says that nothing changed, or why it failed', () =>
    visitSession(0, async ({ page, expect }) => {
      expect(500, new RegExp(`^${LIST}/`));
      // During an extension the button is disabled.
      const extend = page.getByRole('button', { name: 'Extend' }).and(page.locator(':not([data-loading])'));
      await extend.press('Enter');
      await page.getByText('Extended.').waitFor();
      mapped.stored.extendsByMs = 0;
      await extend.press('Enter');
      await page.getByText('Not extended.').waitFor();
      mapped.identityAdmin.before = (request) =>
        request.method === 'PATCH' ? { status: 500, body: '{}' } : mapped.stored.answer(request);
      await extend.press('Enter');
      await page.getByRole('alert').filter({ hasText: 'Request' }).waitFor();
      await assertAccessibleInAllLooks(page, 'a session that could not be extended');
    }));

  it('is ended after a word on what that means, and can then be neither ended nor extended', () =>
    visitSession(0, async ({ page }) => {
      await page.getByRole('button', { name: 'More actions' }).press('Enter');
      await page.getByRole('menuitem', { name: 'End this session…' }).waitFor();
      await assertAccessibleInAllLooks(page, 'the menu of a session');
      await page.getByRole('menuitem', { name: 'End this session…' }).press('Enter');
      const dialog = page.getByRole('dialog', { name: 'End this session?' });
      await dialog.getByText('Tokens that applications already have').waitFor();
      await assertAccessibleInAllLooks(page, 'the dialog before a session is ended');
      await dialog.getByRole('button', { name: 'End the session' }).press('Enter');
      await page.getByText('Ended', { exact: true }).waitFor();
      await page.getByRole('button', { name: 'Extend' }).waitFor({ state: 'detached' });
      assert.deepEqual(writesSeen(mapped.identityAdmin), [`DELETE /admin/sessions/${sessionAt(0).id}`]);
      await page.waitForFunction(() => document.activeElement?.getAttribute('aria-label') === 'More actions');
    }));

  it('is ended with all others of its person, who leaves the list', () =>
    visitSession(2, async ({ page }) => {
      const { identity } = sessionAt(2);
      await page.getByRole('button', { name: 'More actions' }).press('Enter');
      await page.getByRole('menuitem', { name: 'End all sessions of this person…' }).press('Enter');
      const endAll = page.getByRole('dialog').getByRole('button', { name: 'End all sessions' });
      await endAll.waitFor();
      await endAll.press('Enter');
      await page.getByRole('heading', { level: 1, name: 'Sessions' }).waitFor();
      assert.deepEqual(writesSeen(mapped.identityAdmin), [`DELETE /admin/identities/${identity.id}/sessions`]);
      await page.getByRole('link', { name: 'p0@example.test' }).waitFor();
      await becomes(() => page.getByRole('link', { name: 'p2@example.test' }).count(), 0);
    }));

  it('is shown as missing when the id is unknown or the address has none', () =>
    visit('/sessions', async ({ page, expect }) => {
      expect(404, new RegExp(`^${LIST}/`));
      for (const id of ['ffffffff-0000-4000-8000-000000005e55', 'nobody']) {
        await page.goto(`${mapped.dashboard.baseUrl}/sessions/${id}`);
        await page.getByText('Session not found').waitFor();
      }
      await assertAccessibleInAllLooks(page, 'no such session');
    }));
});
