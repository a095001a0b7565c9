import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import type { AuditPage } from '../../shared/audit.ts';
import { assertAccessibleInAllLooks } from '../support/axe.ts';
import { becomes } from '../support/becomes.ts';
import { READING_MS } from '../support/index-is-read.ts';
import { listedPage } from '../support/listed-pages.ts';
import { type StoredSessions, storedSessions, writesSeen } from '../support/session-pages.ts';
import { sessionVisitsOfSuite } from '../support/session-visits.ts';

const FIREFOX = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0';

/** 240 sessions, 80 of them in Oslo, 40 in Bergen; the first twelve of everybody's on Firefox; and the people behind them. */
function sessionsAndPeople(): StoredSessions {
  const stored = storedSessions(240);
  for (const [index, session] of stored.sessions.entries()) {
    session.identity.traits = { email: `p${index}@example.test`, name: { first: index % 40 === 3 ? 'Zoë' : 'Ada' } };
    if (index < 12) session['devices'] = withAgent(session['devices'], FIREFOX);
  }
  const people = stored.sessions.map(({ identity }) => identity);
  const { answer } = stored;
  stored.answer = (request) =>
    /^\/admin\/identities\?(?!.*ids=)/.test(request.path) ? listedPage(request, people) : answer(request);
  return stored;
}

const withAgent = (devices: unknown, user_agent: string): object[] =>
  (devices as object[]).map((device) => ({ ...device, user_agent }));

describe('the search of sessions, in a browser', () => {
  const { mapped, sessionAt, visit } = sessionVisitsOfSuite(sessionsAndPeople);
  const person = (page: Page) => page.getByLabel('Person: any part of a name, an e-mail or another trait');
  const device = (page: Page) => page.getByLabel('Device', { exact: true });
  const press = (page: Page, name: string): Promise<void> => page.getByRole('button', { name, exact: true }).click();
  const call = (path: string) => mapped.dashboard.call(path, { session: mapped.sessions.admin });
  /** Both are read by the index, which the first question begins. */
  const areRead = async (): Promise<unknown> => {
    const answer = await call('/api/security/sessions?q=p239%40&page_size=1');
    const { total, truncated } = (await answer.json()) as { total?: number; truncated?: boolean };
    return [total, truncated];
  };
  before(async function () {
    this.timeout(READING_MS + 30_000);
    mapped.stored = sessionsAndPeople();
    mapped.identityAdmin.before = (request) => mapped.stored.answer(request);
    await becomes(areRead, [1, false], 'the index', READING_MS);
  });

  it('finds those of a person by any part of a text while somebody types, which leaves a record', () =>
    visit('/sessions', async ({ page }) => {
      await page.getByText('Page 1, rows 1–25').waitFor();
      await page.keyboard.press('/');
      await page.keyboard.type('zoe');
      await page.getByText('6 sessions match').waitFor();
      await becomes(() => new URL(page.url()).search, '?q=zoe');
      for (const index of [3, 43, 203]) await page.getByRole('link', { name: `p${index}@example.test` }).waitFor();
      await assertAccessibleInAllLooks(page, 'the sessions of a person');
      const trail = await call('/api/security/audit?action=identity_search&page_size=1');
      assert.equal(((await trail.json()) as AuditPage).events[0]?.target, 'sessions:q=zoe');
      await person(page).fill('p20@ex');
      await page.getByText('1 session matches').waitFor();
      await person(page).fill('nobody has this');
      await page.keyboard.press('Enter');
      await page.getByText('No sessions match').waitFor();
      await press(page, 'Show the sessions of everybody');
      await page.getByText('Page 1, rows 1–25').waitFor();
      await becomes(() => person(page).inputValue(), '');
    }));

  it('finds those of a device by a part of its words, beside state and place, each a chip that is removed', () =>
    visit('/sessions', async ({ page }) => {
      await page.getByText('Page 1, rows 1–25').waitFor();
      await page.keyboard.press('f');
      await device(page).fill('fox ON win');
      await page.getByText('12 sessions match').waitFor();
      await page.locator('tr[data-row="0"]').getByText('Firefox on Windows').waitFor();
      await page.getByLabel('Place', { exact: true }).selectOption('Oslo, Norway (80)');
      await page.getByText('4 sessions match').waitFor();
      await page.getByLabel('State', { exact: true }).selectOption('Active');
      await page.getByText('2 sessions match').waitFor();
      await becomes(() => new URL(page.url()).search, '?device=fox+ON+win&lat=60&lng=11&active=true');
      await assertAccessibleInAllLooks(page, 'the filters of sessions');
      await page.reload();
      await page.getByText('2 sessions match').waitFor();
      await press(page, 'active');
      await page.getByText('4 sessions match').waitFor();
      await press(page, 'Oslo, Norway');
      await page.getByText('12 sessions match').waitFor();
      await press(page, 'device “fox ON win”');
      await page.getByText('Page 1, rows 1–25').waitFor();
      await becomes(() => new URL(page.url()).search, '');
    }));

  it('keeps person and device when a circle of the map is pressed', () =>
    visit('/sessions?q=example&device=fox', async ({ page }) => {
      await page.getByText('12 sessions match').waitFor();
      await page.getByRole('button', { name: 'Oslo, Norway: 80 sessions' }).press('Enter');
      await page.getByText('4 sessions match').waitFor();
      await becomes(() => new URL(page.url()).search, '?q=example&device=fox&lat=60&lng=11');
    }));

  it('walks over all sessions of a place', () =>
    visit('/sessions?lat=60&lng=11', async ({ page }) => {
      const seen = new Set<string>();
      const rows = page.locator('tr[data-row]');
      for (const [shown, last] of [
        ['Page 1, rows 1–25, 80 match', 24],
        ['Page 2, rows 26–50, 80 match', 24],
        ['Page 3, rows 51–75, 80 match', 24],
        ['Page 4, rows 76–80, 80 match', 4],
      ] as const) {
        await page.getByText(shown).waitFor();
        await rows.nth(last).waitFor();
        for (const id of await rows.evaluateAll((all) => all.map((row) => row.querySelector('a')?.href ?? '')))
          seen.add(id);
        if (last === 24) await page.getByRole('button', { name: 'Next page' }).click();
      }
      assert.equal(seen.size, 80);
    }));

  it('acts on all that match, but for what has ended or is gone since the dialog opened', () =>
    visit('/sessions?lat=60.5&lng=5.5&active=true', async ({ page, expect }) => {
      expect(404, /\/admin\/sessions\//);
      await page.getByText('Bergen, Norway').first().waitFor();
      const here = mapped.stored.sessions.filter((session, index) => index % 6 === 2 && session.active);
      assert.equal(here.length, 40);
      await page.getByText('Page 1, rows 1–25, 40 match').waitFor();
      await page.getByLabel('Select all rows on this page').check();
      await press(page, 'Select all 40 that match');
      await page.getByText('All 40 that match are selected').waitFor();
      await press(page, 'End');
      const dialog = page.getByRole('dialog', { name: 'End 40 sessions?' });
      await dialog.getByText('All that match: active, Bergen, Norway').waitFor();
      await dialog.getByText('and 35 others').waitFor();
      await becomes(() => dialog.getByText(/^p\d+@example\.test, /).count(), 5);
      await assertAccessibleInAllLooks(page, 'the end of all that match');

      const [ended, gone] = [here[1] ?? assert.fail(), here[38] ?? assert.fail()];
      ended.active = false;
      mapped.stored.sessions = mapped.stored.sessions.filter((session) => session !== gone);
      mapped.identityAdmin.seen = [];
      await press(page, 'End 40');
      await page.getByText('38 ended, 2 no longer match.').waitFor();
      await page.getByRole('cell', { name: 'It has ended.', exact: true }).waitFor();
      await page.getByRole('cell', { name: 'It no longer exists.', exact: true }).waitFor();
      assert.deepEqual(
        writesSeen(mapped.identityAdmin).sort(),
        here
          .filter((session) => session !== ended && session !== gone)
          .map(({ id }) => `DELETE /admin/sessions/${id}`)
          .sort(),
      );
    }));

  it('leaves out whose person or device no longer has what was sought', () =>
    visit('/sessions?q=zo%C3%AB&device=linux', async ({ page }) => {
      await page.getByText('5 sessions match').waitFor();
      await page.getByLabel('Select all rows on this page').check();
      await page.getByRole('button', { name: 'Extend', exact: true }).waitFor();
      await becomes(() => page.getByRole('button', { name: /^Select all/ }).count(), 0, 'all that match are chosen');
      await page.getByLabel('Select p43@example.test').uncheck();
      await press(page, 'Select all 5 that match');
      await press(page, 'Extend');
      await page.getByText('All that match: person “zoë”, device “linux”').waitFor();
      sessionAt(43).identity.traits = { email: 'p43@example.test', name: { first: 'Ada' } };
      sessionAt(83)['devices'] = withAgent(sessionAt(83)['devices'], FIREFOX);
      await press(page, 'Extend 5');
      await page.getByText(/, 2 no longer match\.$/).waitFor();
      await becomes(() => page.getByRole('cell', { name: 'It no longer matches.', exact: true }).count(), 2);
    }));

  it('says why nothing was done where more than 10,000 match', () =>
    visit('/sessions?device=firefox', async ({ page, expect }) => {
      expect(400, '/api/security/sessions/ids');
      await page.route('**/api/security/sessions/ids?*', (route) =>
        route.fulfill({ status: 400, json: { error: 'bad_request', message: 'More than 10,000 sessions match.' } }),
      );
      await page.getByText('12 sessions match').waitFor();
      await page.getByLabel('Select p1@example.test').check();
      await press(page, 'Select all 12 that match');
      await press(page, 'End');
      await page.getByRole('alert').getByText('More than 10,000 sessions match.').waitFor();
      await page.getByText('Nothing was done').waitFor();
    }));

  it('offers all that match only where the index was asked', () =>
    visit('/sessions?active=true', async ({ page }) => {
      await page.getByLabel('Select all rows on this page').check();
      await page.getByText('25 selected on this page').waitFor();
      await becomes(() => page.getByRole('button', { name: /^Select all/ }).count(), 0);
    }));

  it('has no person or device without an index, which it says, but places', async function () {
    this.timeout(READING_MS);
    await mapped.restart({ IDENTITY_INDEX: 'off' });
    await visit('/sessions?lat=60&lng=11', async ({ page, expect }) => {
      expect(400, '/api/security/sessions');
      await person(page).fill('zoe');
      await page.keyboard.press('Enter');
      await page.getByText('Sessions cannot be searched now').waitFor();
      await assertAccessibleInAllLooks(page, 'no search of sessions');
      await press(page, 'Show the sessions of everybody');
      await page.getByText('Page 1, rows 1–25, 80 match').waitFor();
      await press(page, 'Oslo, Norway');
      await page.getByText('Page 1, rows 1–25').waitFor();
    });
  });
});
