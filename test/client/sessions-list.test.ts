import assert from 'node:assert/strict';
import type { App } from '../support/app-in-dom.tsx';
import { eventually } from '../support/eventually.ts';
import { filterBy } from '../support/identity-dom.ts';
import { sessionsOfSuite, storedSessions, writesSeen } from '../support/session-pages.ts';

const rowOf = (index: number): HTMLElement | null => document.querySelector(`tr[data-row="${index}"]`);
const shownIn = (index: number, text: string | RegExp): Promise<void> =>
  eventually(() => rowOf(index)?.textContent, text instanceof RegExp ? text : new RegExp(text));
const reads = (text: RegExp): Promise<void> => eventually(() => document.querySelector('main')?.textContent, text);

describe('the list of sessions', () => {
  const { mapped, sessionAt, open } = sessionsOfSuite(() => storedSessions(60));
  const select = async (app: App, ...labels: string[]): Promise<void> => {
    for (const label of labels) await app.user.click(await app.screen.findByLabelText(new RegExp(`^Select ${label}@`)));
  };

  const close = (app: App): Promise<void> => app.user.click(app.screen.getAllByText('Close').at(-1) ?? assert.fail());

  it('shows person, device and location in words, and a map above the list', () =>
    open('/sessions', async (app) => {
      Object.assign(sessionAt(1).identity.traits as object, { name: { first: 'Ada', last: 'Lovelace' } });
      await app.press('Refresh');
      await shownIn(0, /p0@example\.test.*A program on Linux.*Oslo, Norway/);
      await shownIn(1, /Ada Lovelace p1@example\.test/);
      assert.ok(rowOf(1)?.querySelector('[data-initials="AL"]'));
      await shownIn(4, 'Unknown location');
      assert.equal(app.screen.queryByLabelText('Oslo, Norway: 20 sessions'), null);
      const button = await app.screen.findByRole('button', { name: 'Map', expanded: false });
      await app.user.click(button);
      await eventually(() => button.getAttribute('aria-expanded'), 'true');
      await app.screen.findByLabelText('Oslo, Norway: 20 sessions');
      await reads(/Unknown location: 20 sessions/);
    }));

  it('requests one page per click, and lists only active sessions on request', () =>
    open('/sessions', async (app) => {
      await app.press('Map');
      await reads(/Page 1, rows 1–25/);
      await app.press('Next page');
      await reads(/Page 2, rows 26–50/);
      const pages = (): string[] =>
        mapped.identityAdmin.seen
          .map(({ path }) => path)
          .filter((path) => /\/sessions\?.*page_size=25(?:&|$)/.test(path));
      const first = '/admin/sessions?expand=identity&expand=devices&page_size=25';
      assert.deepEqual(pages(), [first, `${first}&page_token=25`]);
      await filterBy(app, 'State', 'Active');
      await app.screen.findByLabelText('Oslo, Norway: 10 sessions');
      await reads(/Page 1, rows 1–25/);
      assert.equal(app.address(), '/sessions?active=true');
      assert.match(pages().at(-1) ?? '', /active=true/);
    }));

  it('shows the sessions of a circle on the map, and then all again', () =>
    open('/sessions?active=true', async (app) => {
      await app.press('Map');
      await app.user.click(await app.screen.findByLabelText('Oslo, Norway: 10 sessions'));
      await reads(/10 sessions match, sessions as of /);
      assert.equal(app.address(), '/sessions?active=true&lat=60&lng=11');
      for (const person of ['p0@', 'p6@', 'p54@']) await app.shows(`${person}example.test`);
      await app.press('Remove filter Location');
      await reads(/Page 1, rows 1–25/);
      await app.press('Unknown location: 10 sessions');
      await reads(/10 sessions match/);
      assert.match(app.address(), /unknown=true/);
    }));

  it('extends the selected sessions, reports each that did not change, and ends them', () =>
    open('/sessions', async (app) => {
      mapped.stored.extendsByMs = 0;
      await shownIn(0, 'p0@');
      await select(app, 'p0', 'p1');
      await app.user.click(await app.shows('Extend sessions'));
      await app.press('Extend 2 sessions', await app.screen.findByRole('dialog'));
      await app.shows(/^Not extended/);
      await app.shows(/^It is no longer active/);
      await close(app);
      assert.deepEqual(writesSeen(mapped.identityAdmin), [`PATCH /admin/sessions/${sessionAt(0).id}/extend`]);
      await app.hides(/selected on this page/);
      await select(app, 'p0');
      await app.user.click(await app.shows('End sessions'));
      await app.press(/^End/, await app.screen.findByRole('dialog'));
      await app.shows('Ended 1 session');
      assert.equal(writesSeen(mapped.identityAdmin).at(-1), `DELETE /admin/sessions/${sessionAt(0).id}`);
      await shownIn(0, 'Ended');
    }));

  it('signs out the owners of the selected sessions in every browser', () =>
    open('/sessions', async (app) => {
      const { id } = sessionAt(1).identity;
      await select(app, 'p1');
      await app.user.click(await app.shows('End all sessions of owners'));
      await app.press('End all sessions', await app.screen.findByRole('dialog'));
      await app.shows('Ended all sessions of the owners of 1 session');
      assert.deepEqual(writesSeen(mapped.identityAdmin), [`DELETE /admin/identities/${id}/sessions`]);
    }));

  it('opens a session, which can be extended: it says if nothing changed, or why it failed', () =>
    open(`/sessions/${sessionAt(0).id}`, async (app) => {
      await app.screen.findByRole('heading', { name: 'p0@example.test · A program on Linux' });
      await app.shows('Oslo, Norway');
      await app.shows('By password');
      const extend = async (): Promise<void> => {
        await app.press('More actions');
        await app.user.click(await app.screen.findByRole('menuitem', { name: 'Extend session' }));
      };
      await extend();
      await app.shows('Extended.');
      mapped.stored.extendsByMs = 0;
      await extend();
      await app.shows(/^Not extended\./);
      mapped.identityAdmin.before = (request) =>
        request.method === 'PATCH' ? { status: 500, body: '{}' } : mapped.stored.response(request);
      await extend();
      await app.screen.findByRole('alert');
      await reads(/Request [\w-]+/);
    }));

  it('includes sessions of an inactive person, which can be ended, but not extended', () => {
    const { id } = sessionAt(0);
    return open('/sessions', async (app) => {
      sessionAt(0).identity.state = 'inactive';
      await app.press('Refresh');
      await shownIn(0, 'Person inactive');
      await app.user.click(await app.shows('p0@example.test'));
      await app.shows(/Sessions that have not ended work again once the person is active\./);
      await app.press('More actions');
      await app.screen.findByRole('menuitem', { name: 'End all sessions…' });
      assert.ok(!app.screen.queryByRole('menuitem', { name: 'Extend session' }));
      await app.user.keyboard('{Escape}');
      await app.press('End session…');
      const dialog = await app.screen.findByRole('dialog', { name: /^End the session of p0@example\.test \(/ });
      await app.shows(/Tokens that applications already have/, dialog);
      await app.press('End session', dialog);
      await app.shows('Ended');
      assert.deepEqual(writesSeen(mapped.identityAdmin), [`DELETE /admin/sessions/${id}`]);
    });
  });

  it('has no page for an unknown id', () =>
    open('/sessions/nobody', (app) => app.shows('Session not found').then(() => {})));
});
