import assert from 'node:assert/strict';
import type { Locator, Page } from 'playwright-core';
import { assertFits } from '../support/axe.ts';
import { becomes } from '../support/becomes.ts';
import { needsChromium, type Visit } from '../support/browser.ts';
import { signedInVisit } from '../support/browser-sign-in.ts';
import { listedSession } from '../support/listed-pages.ts';
import { type MappedDashboard, startMappedDashboard } from '../support/mapped-dashboard.ts';
import { choice, lines, reach } from '../support/timeline-pages.ts';

describe('the sessions in a timeline, in a browser', function () {
  this.timeout(90_000);
  let mapped: MappedDashboard;
  let person: string;
  let sessions: Record<string, unknown>[];

  before(async function () {
    needsChromium(this);
    mapped = await startMappedDashboard();
    const found = await mapped.dashboard.call('/api/identity-admin/admin/identities?page_size=1', {
      session: mapped.sessions.admin,
    });
    person = ((await found.json()) as { id: string }[])[0]?.id ?? assert.fail();
  });
  after(() => mapped?.close());
  beforeEach(() => {
    mapped.identityAdmin.calm();
    // As the identity service has them: the latest first, a page by its number.
    sessions = ['203.0.113.7:51234', '10.0.0.1', '198.51.100.7'].map((ip, index) =>
      listedSession(index, { ip, at: new Date(Date.now() - (index + 1) * 60_000) }),
    );
    mapped.identityAdmin.before = ({ method, path }) => {
      const { pathname, searchParams } = new URL(path, 'http://upstream');
      const ended = sessions.find(({ id }) => pathname === `/admin/sessions/${id}`);
      if (method === 'DELETE' && ended !== undefined) {
        ended['active'] = false;
        return { status: 204 };
      }
      if (pathname !== `/admin/identities/${person}/sessions`) return undefined;
      const [page, size] = [Number(searchParams.get('page')), Number(searchParams.get('per_page'))];
      const body = JSON.stringify(sessions.slice((page - 1) * size, page * size));
      return { status: 200, headers: { 'X-Total-Count': `${sessions.length}` }, body };
    };
  });

  const visit = (work: (visit: Visit) => Promise<void>): Promise<void> =>
    signedInVisit(mapped.dashboard, mapped.sessions.admin, { path: '/dashboard', heading: 'Overview' }, work);
  const open = async (page: Page, kind: string): Promise<void> => {
    await page.goto(`${mapped.dashboard.baseUrl}/identities/${person}/history?kind=${kind}`);
    await reach(page).waitFor();
  };
  const signedIn = (page: Page): Promise<string[]> =>
    lines(page).filter({ hasText: 'Signed in' }).locator('div > div:first-child').allTextContents();
  const sessionsTab = (page: Page): Locator =>
    page.getByRole('navigation', { name: 'Identity' }).getByRole('link', { name: 'Sessions', exact: true });
  const placesAsked = (page: Page): string[] => {
    const asked: string[] = [];
    page.on('request', (request) => {
      const { pathname, searchParams } = new URL(request.url());
      if (pathname === '/api/geo') asked.push(searchParams.getAll('ip').join(' '));
    });
    return asked;
  };

  it('name their places where these are known, asked once they are shown', () =>
    visit(async ({ page }) => {
      const asked = placesAsked(page);
      await open(page, 'messages');
      await becomes(() => sessionsTab(page).getAttribute('aria-description'), '3');
      // Only the last sign-in's, which the page tells anyway.
      assert.ok(!asked.some((addresses) => addresses.includes('198.51.100.7')), `${asked}`);
      await choice(page, 'Sessions').press('Enter');
      await becomes(
        () => signedIn(page),
        [
          'Signed in: A program on Linux · Oslo, Norway',
          'Signed in: A program on Linux',
          'Signed in: A program on Linux · Bergen, Norway',
        ],
      );
      assert.deepEqual(
        asked.filter((addresses) => addresses.includes('198.51.100.7')),
        ['10.0.0.1 198.51.100.7 203.0.113.7'],
      );
      await page.setViewportSize({ width: 390, height: 844 });
      await assertFits(page, 'the timeline with places');
    }));

  it('are one list with the tab and its number, also once one is ended', () =>
    visit(async ({ page }) => {
      await open(page, 'sessions');
      await becomes(() => lines(page).getByText('no longer active, would have ended').count(), 0);
      await sessionsTab(page).press('Enter');
      await page.getByText('3 sessions, 3 active').waitFor();
      await page.getByRole('button', { name: 'End session: A program on Linux' }).first().press('Enter');
      await page.getByRole('dialog').getByRole('button', { name: 'End the session' }).click();
      await page.getByText('3 sessions, 2 active').waitFor();
      await page.getByRole('link', { name: 'Timeline', exact: true }).press('Enter');
      await becomes(() => lines(page).getByText('no longer active, would have ended').count(), 1);
    }));

  it('go on after the first page, whose number stands on the tab', () =>
    visit(async ({ page }) => {
      sessions = Array.from({ length: 260 }, (_, index) =>
        listedSession(index, { at: new Date(Date.now() - (index + 1) * 60_000) }),
      );
      await open(page, 'sessions');
      await becomes(() => sessionsTab(page).getAttribute('aria-description'), '260');
      await page.getByRole('button', { name: 'Show older' }).press('Enter');
      await becomes(async () => (await signedIn(page)).length, 260);
      await sessionsTab(page).press('Enter');
      await page.getByText('The latest 250 of 260 sessions, 250 of them active').waitFor();
    }));
});
