import assert from 'node:assert/strict';
import { within } from '@testing-library/dom';
import { parseSessionsSearch } from '../../client/features/sessions/session-queries.ts';
import { addressIn, sessionState } from '../../client/lib/session-labels.ts';
import type { AuditPage } from '../../shared/audit.ts';
import type { App } from '../support/app-in-dom.tsx';
import { SYNC_TIMEOUT_MS } from '../support/dashboard.ts';
import { eventually } from '../support/eventually.ts';
import { listPage } from '../support/faulting-upstream.ts';
import { filterBy } from '../support/identity-dom.ts';
import { type StoredSessions, sessionsOfSuite, storedSessions, writesReceived } from '../support/session-pages.ts';

describe('the URL of the list of sessions', () => {
  it('is parsed without unknown parameters and invalid values', () => {
    for (const [search, parsed] of [
      [
        { lat: '60', lng: '-10.5', active: 'true' },
        { lat: '60', lng: '-10.5', active: 'true' },
      ],
      [{ unknown: 'true', lat: '60', lng: '1' }, { unknown: 'true' }],
      [
        { q: ' ada ', device: 'Fire\tfox' },
        { q: 'ada', device: 'Fire fox' },
      ],
      [{ city: ' Oslo ' }, { city: 'Oslo' }],
      [
        { ip: '203.0.113.7:51234', active: 'false' },
        { ip: '203.0.113.7', active: 'false' },
      ],
    ] as const)
      assert.deepEqual(parseSessionsSearch(search), parsed);
  });
});

describe('the IP address of a session', () => {
  it('is used without its port, and ignored if it is invalid', () => {
    for (const [text, address] of [
      ['203.0.113.7:51234', '203.0.113.7'],
      ['[2001:db8::1]:443', '2001:db8::1'],
      ['203.0.113.256', undefined],
      ["1.2.3.4'--", undefined],
      [null, undefined],
    ] as const)
      assert.equal(addressIn(text), address);
  });
});

describe('the state of a session', () => {
  it('is ended if the session was ended or has expired, otherwise depends on the state of the person', () => {
    const now = Date.parse('2026-01-31T09:00:00Z');
    for (const [state, active, person, ends] of [
      ['active', true, 'active', 1],
      ['ended', false, 'active', 1],
      ['identity-inactive', true, 'inactive', 1],
      ['ended', false, 'inactive', 0],
      ['ended', false, undefined, 1],
    ] as const) {
      const session = { active, expires_at: new Date(now + ends).toISOString() };
      assert.equal(sessionState(session, person && { state: person }, now), state);
    }
  });
});

const rowOf = (index: number): HTMLElement | null => document.querySelector(`tr[data-row="${index}"]`);
const rowDisplays = (index: number, text: string | RegExp): Promise<void> =>
  eventually(() => rowOf(index)?.textContent, text instanceof RegExp ? text : new RegExp(text));
const displays = (text: RegExp): Promise<void> => eventually(() => document.querySelector('main')?.textContent, text);

describe('the list of sessions', () => {
  const { mapped, sessionAt, open } = sessionsOfSuite(() => storedSessions(60));
  const select = async (app: App, ...labels: string[]): Promise<void> => {
    for (const label of labels) await app.user.click(await app.screen.findByLabelText(new RegExp(`^Select ${label}@`)));
  };

  const close = (app: App): Promise<void> => app.user.click(app.screen.getAllByText('Close').at(-1) ?? assert.fail());

  it('shows person, device and location in words, and a map on request', () =>
    open('/sessions', async (app) => {
      Object.assign(sessionAt(1).identity.traits as object, { name: { first: 'Ada', last: 'Lovelace' } });
      await app.press('Refresh');
      await rowDisplays(0, /p0@example\.test.*A program on Linux.*Oslo, Norway/);
      await rowDisplays(1, /Ada Lovelace p1@example\.test/);
      assert.ok(rowOf(1)?.querySelector('[data-initials="AL"]'));
      await rowDisplays(4, 'Unknown location');
      assert.equal(app.screen.queryByLabelText('Oslo, Norway: 20 sessions'), null);
      const button = await app.screen.findByRole('button', { name: 'Map', expanded: false });
      await app.user.click(button);
      await eventually(() => button.getAttribute('aria-expanded'), 'true');
      await app.screen.findByLabelText('Oslo, Norway: 20 sessions');
      await displays(/Unknown location: 20 sessions/);
    }));

  it('requests people and devices with each page, and lists only active sessions on request', () =>
    open('/sessions', async (app) => {
      await app.press('Map');
      await displays(/Page 1, rows 1–25/);
      await filterBy(app, 'State', 'Active');
      await app.screen.findByLabelText('Oslo, Norway: 10 sessions');
      await displays(/Page 1, rows 1–25/);
      assert.equal(app.address(), '/sessions?active=true');
      const pages = mapped.identityAdmin.requests
        .map(({ path }) => path)
        .filter((path) => /page_size=25(?:&|$)/.test(path));
      const page = '/admin/sessions?expand=identity&expand=devices&page_size=25';
      assert.deepEqual(pages, [page, `${page}&active=true`]);
    }));

  it('shows only the sessions of the chosen circle on the map, also after a visit to one of them, until that filter is removed', () =>
    open('/sessions?active=true', async (app) => {
      await app.press('Map');
      (await app.screen.findByLabelText('Bergen, Norway: 10 sessions')).focus();
      await app.user.keyboard('{ArrowLeft}{Enter}');
      await displays(/10 sessions match, as of /);
      assert.equal(app.address(), '/sessions?active=true&lat=60&lng=11');
      for (const person of ['p0@', 'p6@', 'p54@']) await app.shows(`${person}example.test`);
      await app.user.click(await app.shows('p0@example.test'));
      await app.screen.findByRole('heading', { name: 'At a glance' });
      await app.user.click(within(app.screen.getByRole('main')).getByRole('link', { name: 'Sessions' }));
      await displays(/10 sessions match/);
      await app.press('Remove filter Location');
      await displays(/Page 1, rows 1–25/);
      await app.press('Unknown location: 10 sessions');
      await displays(/10 sessions match/);
      assert.match(app.address(), /unknown=true/);
    }));

  it('reports each selected session that was not extended, and ends the selected sessions', () =>
    open('/sessions', async (app) => {
      mapped.stored.extendsByMs = 0;
      await rowDisplays(0, 'p0@');
      await select(app, 'p0', 'p1');
      await app.user.click(await app.shows('Extend sessions…'));
      await app.press('Extend 2 sessions', await app.screen.findByRole('dialog'));
      await app.shows(/^Not extended/);
      await app.shows(/^It is no longer active/);
      await close(app);
      assert.deepEqual(writesReceived(mapped.identityAdmin), [`PATCH /admin/sessions/${sessionAt(0).id}/extend`]);
      await app.hides(/selected on this page/);
      await select(app, 'p0');
      await app.user.click(await app.shows('End sessions…'));
      await app.press(/^End/, await app.screen.findByRole('dialog'));
      await app.shows('Ended 1 session');
      assert.equal(writesReceived(mapped.identityAdmin).at(-1), `DELETE /admin/sessions/${sessionAt(0).id}`);
      await rowDisplays(0, 'Ended');
    }));

  it('ends all sessions of the owners of the selected sessions', () =>
    open('/sessions', async (app) => {
      const { id } = sessionAt(1).identity;
      await select(app, 'p1');
      await app.user.click(await app.shows('End all sessions of owners…'));
      await app.press('End all sessions', await app.screen.findByRole('dialog'));
      await app.shows('Ended all sessions of the owners of 1 session');
      assert.deepEqual(writesReceived(mapped.identityAdmin), [`DELETE /admin/identities/${id}/sessions`]);
    }));

  it('has a page for each session, which extends the session and reports an extension that failed or had no effect', () =>
    open(`/sessions/${sessionAt(0).id}`, async (app) => {
      await app.screen.findByRole('heading', { name: 'p0@example.test · A program on Linux' });
      await app.shows('Oslo, Norway');
      await app.shows('By password');
      const extend = async (): Promise<void> => {
        await app.press('More actions');
        await app.user.click(await app.screen.findByRole('menuitem', { name: 'Extend session' }));
      };
      await extend();
      await app.shows('Extended the session');
      mapped.stored.extendsByMs = 0;
      await extend();
      await app.shows(/^Not extended\./);
      mapped.identityAdmin.before = (request) =>
        request.method === 'PATCH' ? { status: 500, body: '{}' } : mapped.stored.response(request);
      await extend();
      await app.screen.findByRole('alert');
      await displays(/Request [\w-]+/);
    }));

  it('includes sessions of an inactive person, which can be ended but not extended', () => {
    const { id } = sessionAt(0);
    return open('/sessions', async (app) => {
      sessionAt(0).identity.state = 'inactive';
      await app.press('Refresh');
      await rowDisplays(0, 'Person inactive');
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
      // The button of the ended session is gone.
      await eventually(() => document.activeElement?.getAttribute('aria-label'), 'More actions');
      assert.deepEqual(writesReceived(mapped.identityAdmin), [`DELETE /admin/sessions/${id}`]);
    });
  });

  it('has no page for an unknown ID', () =>
    open('/sessions/unknown', (app) => app.shows('Session not found').then(() => {})));
});

const FIREFOX = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0';
const PERSON = 'Person: any part of a name, an e-mail or another trait';

/** 180 sessions with their people: 60 in Oslo, 30 in Bergen, the first twelve on Firefox. */
function sessionsAndPeople(): StoredSessions {
  const stored = storedSessions(180);
  for (const [index, session] of stored.sessions.entries()) {
    session.identity.traits = { email: `p${index}@example.test`, name: { first: index % 40 === 3 ? 'Zoë' : 'Ada' } };
    if (index < 12) session['devices'] = withAgent(session['devices'], FIREFOX);
  }
  const people = stored.sessions.map(({ identity }) => identity);
  const { response } = stored;
  stored.response = (request) =>
    /^\/admin\/identities\?(?!.*ids=)/.test(request.path) ? listPage(request, people) : response(request);
  return stored;
}

const withAgent = (devices: unknown, user_agent: string): object[] =>
  (devices as object[]).map((device) => ({ ...device, user_agent }));

describe('the search of sessions', () => {
  const { mapped, open } = sessionsOfSuite(sessionsAndPeople);
  const call = (path: string) => mapped.dashboard.call(path, { session: mapped.sessions.admin });
  /** Finds the button by its text, because a query by role is slow with many rows. */
  const click = async (app: App, text: string | RegExp): Promise<void> =>
    app.user.click((await app.shows(text)).closest('button') ?? assert.fail(`${text} is no button`));
  before(async () => {
    // The first request starts the index of sessions and people.
    const result = async (): Promise<unknown> => {
      const response = await call('/api/security/sessions?q=p179%40&page_size=1');
      const { total, truncated } = (await response.json()) as { total?: number; truncated?: boolean };
      return [total, truncated];
    };
    await eventually(result, [1, false], 'the index', SYNC_TIMEOUT_MS);
  });

  it('finds sessions by any part of a person’s traits while the operator types, and leaves an audit record', () =>
    open('/sessions', async (app) => {
      await displays(/Page 1, rows 1–25/);
      await app.fill(PERSON, 'zoe');
      await displays(/5 sessions match/);
      assert.equal(app.address(), '/sessions?q=zoe');
      for (const index of [3, 43, 163]) await app.shows(`p${index}@example.test`);
      const trail = await call('/api/security/audit?action=identity_search&page_size=1');
      assert.equal(((await trail.json()) as AuditPage).events[0]?.target, 'sessions:q=zoe');
      await app.fill(PERSON, 'no such person');
      await app.user.keyboard('{Enter}');
      await app.shows('No sessions match');
      await click(app, 'Show everybody’s sessions');
      await displays(/Page 1, rows 1–25/);
      await eventually(() => app.screen.getByLabelText<HTMLInputElement>(PERSON).value, '');
    }));

  it('combines filters for device, location and state, each of which can be removed', () =>
    open('/sessions', async (app) => {
      await displays(/Page 1, rows 1–25/);
      await filterBy(app, 'Device');
      await app.fill('Device', 'fox ON win', await app.screen.findByRole('dialog'));
      await displays(/12 sessions match/);
      await eventually(() => document.querySelector('tr[data-row="0"]')?.textContent, /Firefox on Windows/);
      await filterBy(app, 'Location', 'Oslo, Norway (60)');
      await displays(/4 sessions match/);
      await filterBy(app, 'State', 'Active');
      await displays(/2 sessions match/);
      assert.equal(app.address(), '/sessions?device=fox+ON+win&lat=60&lng=11&active=true');
      await app.shows('State: Active');
      await app.press('Remove filter State');
      await displays(/4 sessions match/);
      await app.shows('Location: Oslo, Norway');
      await app.press('Remove filter Location');
      await displays(/12 sessions match/);
      (await app.shows('Device: fox ON win')).closest('button')?.focus();
      await app.user.keyboard('{Backspace}');
      await displays(/Page 1, rows 1–25/);
      assert.equal(app.address(), '/sessions');
    }));

  it('finds the ended sessions of an address, which a session’s page leads to, and sends it on Enter only', () =>
    open(`/sessions/${mapped.stored.sessions[1]?.id}`, async (app) => {
      await app.user.click(await app.screen.findByRole('link', { name: '203.0.113.8' }));
      await displays(/rows 1–25, 30 match/);
      assert.equal(app.address(), '/sessions?ip=203.0.113.8');
      await filterBy(app, 'State', 'Ended');
      await app.shows('State: Ended');
      await displays(/30 match/);
      await app.press('Remove filter IP address');
      await displays(/90 match/);
      await filterBy(app, 'IP address');
      await app.fill('IP address', '203.0.113', await app.screen.findByRole('dialog'));
      await app.shows(/Press Enter/);
      assert.equal(app.address(), '/sessions?active=false');
      await app.user.keyboard('{Enter}');
      await displays(/ip must be an IPv4 or IPv6 address/);
    }));

  it('finds the sessions in a city by its name', () =>
    open('/sessions?city=oslo', async (app) => {
      await displays(/60 match/);
      await app.shows('City: oslo');
    }));

  it('lets the operator end all matches on every page, except those that ended or disappeared after the dialog opened', () =>
    open('/sessions?lat=60.5&lng=5.5&active=true', async (app) => {
      await displays(/Page 1, rows 1–25, 30 match/);
      const inBergen = mapped.stored.sessions.filter((_, index) => index % 6 === 2);
      await app.user.click(await app.screen.findByLabelText('Select all rows on this page'));
      await click(app, 'Select all 30 matching rows');
      await displays(/All 30 matching rows selected/);
      await click(app, 'End sessions…');
      const dialog = await app.screen.findByRole('dialog', { name: 'End 30 sessions?' });
      await eventually(() => dialog.textContent, /All matching rows: active, Bergen, Norway.*and 25 others/);
      const [ended, gone] = [inBergen[1] ?? assert.fail(), inBergen[28] ?? assert.fail()];
      ended.active = false;
      mapped.stored.sessions = mapped.stored.sessions.filter((session) => session !== gone);
      mapped.identityAdmin.requests = [];
      await app.press('End 30 sessions', dialog);
      await eventually(() => dialog.textContent, /28 ended, 2 no longer match\./);
      await app.shows('It has ended.');
      await app.shows('It no longer exists.');
      assert.deepEqual(
        writesReceived(mapped.identityAdmin).sort(),
        inBergen
          .filter((session) => session !== ended && session !== gone)
          .map(({ id }) => `DELETE /admin/sessions/${id}`)
          .sort(),
      );
    }));
});
