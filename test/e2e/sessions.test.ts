import assert from 'node:assert/strict';
import { needsChromium, signedInVisit, type Visit } from '../support/browser.ts';
import { sessionsOfSuite, storedSessions, writesReceived } from '../support/session-pages.ts';

describe('the sessions page', () => {
  needsChromium();
  const { mapped, sessionAt, reset } = sessionsOfSuite(() => storedSessions(60));
  const visit = (path: string, work: (visit: Visit) => Promise<void>): Promise<void> => {
    reset();
    return signedInVisit(mapped.dashboard, mapped.sessions.admin, { path }, work);
  };

  it('filters by the map, opens a session, returns to the same list, and ends a session, all by keyboard', () =>
    visit('/sessions', async ({ page }) => {
      const row = (index: number) => page.locator(`tr[data-row="${index}"]`);
      await page.getByRole('button', { name: 'Map' }).press('Enter');
      await page.getByRole('button', { name: 'Oslo, Norway: 20 sessions' }).focus();
      await page.keyboard.press('ArrowRight');
      await page.keyboard.press('Enter');
      await page.getByText('10 sessions match').waitFor();
      await row(0).focus();
      await page.keyboard.press('j');
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'At a glance' }).waitFor();
      await page.getByRole('main').getByRole('link', { name: 'Sessions', exact: true }).press('Enter');
      await page.getByText('10 sessions match').waitFor();
      await page.goto(`${mapped.dashboard.baseUrl}/sessions/${sessionAt(0).id}`);
      await page.getByRole('button', { name: 'End session…' }).press('Enter');
      await page.getByRole('dialog').getByRole('button', { name: 'End session' }).press('Enter');
      await page.getByText('Ended', { exact: true }).waitFor();
      // The button of the ended session is gone.
      await page.waitForFunction(() => document.activeElement?.getAttribute('aria-label') === 'More actions');
      assert.deepEqual(writesReceived(mapped.identityAdmin), [`DELETE /admin/sessions/${sessionAt(0).id}`]);
    }));
});
