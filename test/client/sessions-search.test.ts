import assert from 'node:assert/strict';
import type { AuditPage } from '../../shared/audit.ts';
import type { App } from '../support/app-in-dom.tsx';
import { eventually } from '../support/eventually.ts';
import { filterBy } from '../support/identity-dom.ts';
import { SYNC_TIMEOUT_MS } from '../support/index-ready.ts';
import { listedPage } from '../support/listed-pages.ts';
import { type StoredSessions, sessionsOfSuite, storedSessions, writesSeen } from '../support/session-pages.ts';

const FIREFOX = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0';
const PERSON = 'Person: any part of a name, an e-mail or another trait';

/** 180 sessions, 60 of them in Oslo, 30 in Bergen; the first twelve of everybody's on Firefox; and the people behind them. */
function sessionsAndPeople(): StoredSessions {
  const stored = storedSessions(180);
  for (const [index, session] of stored.sessions.entries()) {
    session.identity.traits = { email: `p${index}@example.test`, name: { first: index % 40 === 3 ? 'Zoë' : 'Ada' } };
    if (index < 12) session['devices'] = withAgent(session['devices'], FIREFOX);
  }
  const people = stored.sessions.map(({ identity }) => identity);
  const { response } = stored;
  stored.response = (request) =>
    /^\/admin\/identities\?(?!.*ids=)/.test(request.path) ? listedPage(request, people) : response(request);
  return stored;
}

const withAgent = (devices: unknown, user_agent: string): object[] =>
  (devices as object[]).map((device) => ({ ...device, user_agent }));
const reads = (text: RegExp): Promise<void> => eventually(() => document.querySelector('main')?.textContent, text);

describe('the search of sessions', () => {
  const { mapped, open } = sessionsOfSuite(sessionsAndPeople);
  const call = (path: string) => mapped.dashboard.call(path, { session: mapped.sessions.admin });
  /** A button by its text: a query by role looks at every row. */
  const click = async (app: App, text: string | RegExp): Promise<void> =>
    app.user.click((await app.shows(text)).closest('button') ?? assert.fail(`${text} is no button`));
  before(async function () {
    this.timeout(SYNC_TIMEOUT_MS + 30_000);
    // Both sessions and people are read by the index, which the first request begins.
    const found = async (): Promise<unknown> => {
      const response = await call('/api/security/sessions?q=p179%40&page_size=1');
      const { total, truncated } = (await response.json()) as { total?: number; truncated?: boolean };
      return [total, truncated];
    };
    await eventually(found, [1, false], 'the index', SYNC_TIMEOUT_MS);
  });

  it('finds the sessions of a person by any part of a text as the operator types, and leaves an audit record', () =>
    open('/sessions', async (app) => {
      await reads(/Page 1, rows 1–25/);
      await app.fill(PERSON, 'zoe');
      await reads(/5 sessions match/);
      assert.equal(app.address(), '/sessions?q=zoe');
      for (const index of [3, 43, 163]) await app.shows(`p${index}@example.test`);
      const trail = await call('/api/security/audit?action=identity_search&page_size=1');
      assert.equal(((await trail.json()) as AuditPage).events[0]?.target, 'sessions:q=zoe');
      await app.fill(PERSON, 'nobody has this');
      await app.user.keyboard('{Enter}');
      await app.shows('No sessions match');
      await click(app, 'Show everybody’s sessions');
      await reads(/Page 1, rows 1–25/);
      await eventually(() => app.screen.getByLabelText<HTMLInputElement>(PERSON).value, '');
    }));

  it('combines device, location and state, each as a chip with a button to remove it', () =>
    open('/sessions', async (app) => {
      await reads(/Page 1, rows 1–25/);
      await filterBy(app, 'Device');
      await app.fill('Device', 'fox ON win', await app.screen.findByRole('dialog'));
      await reads(/12 sessions match/);
      await eventually(() => document.querySelector('tr[data-row="0"]')?.textContent, /Firefox on Windows/);
      await filterBy(app, 'Location', 'Oslo, Norway (60)');
      await reads(/4 sessions match/);
      await filterBy(app, 'State', 'Active');
      await reads(/2 sessions match/);
      assert.equal(app.address(), '/sessions?device=fox+ON+win&lat=60&lng=11&active=true');
      await app.shows('State: Active');
      await app.press('Remove filter State');
      await reads(/4 sessions match/);
      await app.shows('Location: Oslo, Norway');
      await app.press('Remove filter Location');
      await reads(/12 sessions match/);
      (await app.shows('Device: fox ON win')).closest('button')?.focus();
      await app.user.keyboard('{Backspace}');
      await reads(/Page 1, rows 1–25/);
      assert.equal(app.address(), '/sessions');
    }));

  it('finds the sessions in a city, by its name', () =>
    open('/sessions?city=oslo', async (app) => {
      await reads(/60 match/);
      await app.shows('City: oslo');
    }));

  it('acts on all matches on every page, except those that have ended or disappeared since the dialog opened', () =>
    open('/sessions?lat=60.5&lng=5.5&active=true', async (app) => {
      await reads(/Page 1, rows 1–25, 30 match/);
      const here = mapped.stored.sessions.filter((_, index) => index % 6 === 2);
      await app.user.click(await app.screen.findByLabelText('Select all rows on this page'));
      await click(app, 'Select all 30 matching rows');
      await reads(/All 30 matching rows selected/);
      await click(app, 'End sessions');
      const dialog = await app.screen.findByRole('dialog', { name: 'End 30 sessions?' });
      await eventually(() => dialog.textContent, /All matching rows: active, Bergen, Norway.*and 25 others/);
      const [ended, gone] = [here[1] ?? assert.fail(), here[28] ?? assert.fail()];
      ended.active = false;
      mapped.stored.sessions = mapped.stored.sessions.filter((session) => session !== gone);
      mapped.identityAdmin.seen = [];
      await app.press('End 30 sessions', dialog);
      await eventually(() => dialog.textContent, /28 ended, 2 no longer match\./);
      await app.shows('It has ended.');
      await app.shows('It no longer exists.');
      assert.deepEqual(
        writesSeen(mapped.identityAdmin).sort(),
        here
          .filter((session) => session !== ended && session !== gone)
          .map(({ id }) => `DELETE /admin/sessions/${id}`)
          .sort(),
      );
    }));
});
