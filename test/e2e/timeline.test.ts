import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import type { Identity } from '../../client/api/identities-record.ts';
import type { AuditPage } from '../../shared/audit.ts';
import { assertAccessibleInAllLooks, assertFits } from '../support/axe.ts';
import { becomes } from '../support/becomes.ts';
import { lockAccounts } from '../support/locked-accounts.ts';
import { failing, visitedPageOfSuite } from '../support/security-pages.ts';
import { choice, kindsOf, lines, reach, timesOf } from '../support/timeline-pages.ts';

describe('the timeline of a person, in a browser', function () {
  this.timeout(120_000);
  const visited = visitedPageOfSuite('/identities', 'Identities', { sandbox: { people: 60 } });
  const call = async <T>(path: string, options: object = {}): Promise<T> => {
    const answer = await visited.dashboard.call(path, { session: visited.sessions.admin, ...options });
    assert.ok(answer.ok, `${path}: ${answer.status}`);
    return (answer.status === 204 ? undefined : await answer.json()) as T;
  };
  const admin = (path: string): string => `/api/identity-admin/admin${path}`;
  const setState = (id: string, value: string): Promise<unknown> =>
    call(admin(`/identities/${id}`), { method: 'PATCH', json: [{ op: 'replace', path: '/state', value }] });
  /** Has sessions, messages and consents from the start; changed, locked and unlocked, and one session was ended. */
  let person: { id: string; email: string };
  /** Changed more often than one page of the trail holds. */
  let busy: { id: string; email: string };
  let endedSession: string;

  before(async () => {
    const people = (await call<Identity[]>(admin('/identities?page_size=250'))).map(({ id, traits }) => ({
      id,
      email: String(traits.email),
    }));
    for (const { id, email } of people) {
      const [sessions, messages, consents] = await Promise.all([
        call<{ id: string; active: boolean }[]>(admin(`/identities/${id}/sessions`)),
        call<unknown[]>(admin(`/courier/messages?recipient=${encodeURIComponent(email)}`)),
        call<unknown[]>(`/api/oauth-admin/admin/oauth2/auth/sessions/consent?subject=${id}`),
      ]);
      const active = sessions.find((session) => session.active);
      if (active === undefined || sessions.length < 2 || messages.length === 0 || consents.length === 0) continue;
      person = { id, email };
      endedSession = active.id;
      break;
    }
    assert.ok(person, 'nobody has all kinds');
    busy = people.find(({ id }) => id !== person.id) ?? assert.fail();
    for (const state of ['inactive', 'active']) await setState(person.id, state);
    await call(admin(`/sessions/${endedSession}`), { method: 'DELETE' });
    await lockAccounts(visited.dashboard, [person.email]);
    await call('/api/security/locked-accounts/unlock', { json: { identifier: person.email } });
    await lockAccounts(visited.dashboard, [person.email, 'somebody.else@example.org']);
    for (let change = 0; change < 30; change += 1) await setState(busy.id, change % 2 === 0 ? 'inactive' : 'active');
  });

  const open = async (page: Page, { id } = person, search = ''): Promise<void> => {
    await page.goto(`${visited.dashboard.baseUrl}/identities/${id}/history${search}`);
    await reach(page).waitFor();
  };

  it('has all kinds of things, newest first, under their days', () =>
    visited.visit(async ({ page }) => {
      await page.goto(`${visited.dashboard.baseUrl}/identities/${person.id}`);
      await page.getByRole('link', { name: 'Timeline', exact: true }).press('Enter');
      await reach(page).waitFor();
      const kinds = ['consents', 'locks', 'messages', 'record', 'sessions', 'trail'];
      assert.deepEqual([...new Set(await kindsOf(page))].sort(), kinds);
      const times = await timesOf(page);
      assert.ok(times.length >= 10);
      assert.deepEqual(
        times,
        times.toSorted((one, other) => other - one),
      );
      await page.getByRole('heading', { level: 2, name: /^Today, \d/ }).waitFor();
      await becomes(() => lines(page).getByText('somebody.else').count(), 0);
      await becomes(() => reach(page).textContent(), /^\d+ lines, all that could be read$/);
      await assertAccessibleInAllLooks(page, 'the timeline');
    }));

  it('leads from each line to its thing', () =>
    visited.visit(async ({ page }) => {
      await open(page);
      const leads = async (text: RegExp, to: RegExp): Promise<void> => {
        const addresses = await lines(page)
          .filter({ hasText: text })
          .locator('a')
          .evaluateAll((links) => links.map((link) => link.getAttribute('href')));
        assert.ok(
          addresses.some((address) => to.test(address ?? '')),
          `${text}: ${addresses}`,
        );
      };
      await leads(/^\S+Signed in: /, /^\/sessions\/[0-9a-f-]{36}$/);
      await leads(/to .*e-mail|e-mail to /, /^\/messages\/[0-9a-f-]{36}$/);
      await leads(/Granted /, /^\/oauth\/clients\/./);
      await leads(/Granted /, new RegExp(`^/identities/${person.id}/consents$`));
      await leads(/was locked/, /^\/security\/locked-accounts\?q=/);
      await leads(/unlocked the account/, /^\/security\/audit\?action=account_unlock&from=/);
      await leads(/ended .*session/, new RegExp(endedSession));
      await leads(/was created/, new RegExp(`^/identities/${person.id}$`));
      const record = lines(page)
        .filter({ hasText: /You unlocked/ })
        .getByRole('link', { name: /^Record \d+$/ });
      await record.press('Enter');
      await page.getByRole('heading', { level: 1, name: 'Audit trail' }).waitFor();
      await page.getByText(`unlocked the account ${person.email}`).waitFor();
      await becomes(
        () => page.getByRole('list', { name: 'Records, the latest first' }).getByRole('listitem').count(),
        1,
      );
    }));

  it('shows one kind, which stands in the address, by keyboard', () =>
    visited.visit(async ({ page }) => {
      await open(page);
      const all = await lines(page).count();
      await choice(page, 'Messages').focus();
      await page.keyboard.press('Enter');
      await becomes(async () => new Set(await kindsOf(page)), new Set(['messages']));
      assert.equal(new URL(page.url()).search, '?kind=messages');
      await becomes(() => choice(page, 'Messages').getAttribute('aria-pressed'), 'true');
      await page.reload();
      await becomes(async () => new Set(await kindsOf(page)), new Set(['messages']));
      await open(page, person, '?kind=sessions');
      await lines(page)
        .getByText(/ended .*session/)
        .first()
        .waitFor();
      await choice(page, 'Everything').press('Enter');
      await becomes(() => lines(page).count(), all);
      assert.equal(new URL(page.url()).search, '');
      await open(page, busy, '?kind=locks');
      await page.getByText('Nothing of this kind').waitFor();
      await assertAccessibleInAllLooks(page, 'a timeline with nothing of a kind');
    }));

  it('ends where a source is still unread, and grows at its end by keyboard', () =>
    visited.visit(async ({ page }) => {
      await open(page, busy);
      await becomes(() => reach(page).textContent(), /^\d+ lines, read back to \d/);
      const first = await lines(page).allTextContents();
      // The record itself is read, but its beginning is older than what is read of the trail.
      await becomes(() => lines(page).getByText('The identity was created').count(), 0);
      await page.getByRole('button', { name: 'Show older' }).focus();
      await page.keyboard.press('Enter');
      await lines(page).getByText('The identity was created').waitFor();
      const after = await lines(page).allTextContents();
      assert.deepEqual(after.slice(0, first.length), first);
      assert.ok(after.length > first.length);
      await becomes(() => page.getByRole('button', { name: 'Show older' }).count(), 0);
      // What was pressed is gone: whoever pressed it is not sent to the top of the document.
      await becomes(() => page.evaluate(() => document.activeElement !== document.body), true);
    }));

  it('names what could not be read, shows the rest, and tries again', () =>
    visited.visit(async (visit) => {
      const { page } = visit;
      const sessions = await failing(visit, `/api/identity-admin/admin/identities/${person.id}/sessions`);
      const messages = await failing(visit, '/api/identity-admin/admin/courier/messages');
      await open(page);
      const alert = (title: string) => page.getByRole('alert').filter({ hasText: title });
      await alert('The sessions could not be read').getByText('r-17').waitFor();
      await alert('The messages could not be read').waitFor();
      assert.deepEqual([...new Set(await kindsOf(page))].sort(), ['consents', 'locks', 'record', 'trail']);
      await assertAccessibleInAllLooks(page, 'a timeline without two sources');
      await sessions.mend();
      await alert('The sessions could not be read').getByRole('button', { name: 'Try again' }).press('Enter');
      await lines(page).getByText('Signed in').first().waitFor();
      await becomes(() => alert('The sessions could not be read').count(), 0);
      await alert('The messages could not be read').waitFor();
      // Of a kind alone, only what could not be read of it.
      await choice(page, 'Consents').click();
      await becomes(() => page.getByRole('alert').count(), 0);
      await choice(page, 'Messages').click();
      await messages.mend();
      await alert('The messages could not be read').getByRole('button', { name: 'Try again' }).press('Enter');
      await lines(page).first().waitFor();
    }));

  it('goes on past a source that cannot be read any further, and names it', () =>
    visited.visit(async (visit) => {
      const { page } = visit;
      await open(page, busy);
      const { mend } = await failing(visit, '/api/security/audit');
      await page.getByRole('button', { name: 'Show older' }).click();
      await page.getByRole('alert').getByText('Not all of the audit trail could be read').waitFor();
      await lines(page).getByText('The identity was created').waitFor();
      const without = await lines(page).count();
      await mend();
      await page.getByRole('button', { name: 'Try again' }).press('Enter');
      await becomes(() => page.getByRole('alert').count(), 0);
      await becomes(async () => (await lines(page).count()) > without, true);
    }));

  it('has what was done on another tab a moment ago', () =>
    visited.visit(async ({ page }) => {
      await open(page, busy);
      const tab = (name: string) => page.getByRole('link', { name, exact: true });
      await tab('JSON').click();
      await page.getByText('As the identity service returned it').waitFor();
      await call(admin(`/identities/${busy.id}/sessions`), { method: 'DELETE' }).catch(() => {});
      await tab('Timeline').click();
      await lines(page)
        .getByText(/all sessions of/)
        .waitFor();
    }));

  it('fits a phone', () =>
    visited.visit(
      async ({ page }) => {
        await open(page);
        await assertFits(page, 'the timeline');
        const top = await lines(page).first().boundingBox();
        assert.ok(top !== null && top.y < 460, `the first line begins at ${top?.y}`);
      },
      { viewport: { width: 390, height: 844 } },
    ));

  it('does not move when its last source answers', () =>
    visited.visit(async ({ page, context }) => {
      let release = (): void => {};
      const held = new Promise<void>((resolve) => {
        release = resolve;
      });
      const isHeld = (url: URL): boolean => url.pathname.endsWith('/sessions/consent');
      await context.route(isHeld, async (route) => {
        await held;
        await route.continue();
      });
      await page.addInitScript(() => {
        const shifts: number[] = [];
        Object.assign(globalThis, { shifts });
        new PerformanceObserver((list) => {
          for (const entry of list.getEntries()) shifts.push((entry as unknown as { value: number }).value);
        }).observe({ type: 'layout-shift', buffered: true });
      });
      await page.goto(`${visited.dashboard.baseUrl}/identities/${person.id}/history`);
      await page.getByRole('status', { name: 'Loading the timeline' }).waitFor();
      await becomes(() => lines(page).count(), 0);
      await page.evaluate('shifts.length = 0');
      release();
      await reach(page).waitFor();
      await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))));
      assert.deepEqual(await page.evaluate('shifts'), []);
    }));

  it('holds nothing secret, and leaves no record of a search', () =>
    visited.visit(async ({ page }) => {
      const count = async (): Promise<number> =>
        (await call<AuditPage>('/api/security/audit?action=identity_search&page_size=250')).events.length;
      const bodies = await call<{ subject: string; body: string }[]>(
        admin(`/courier/messages?recipient=${encodeURIComponent(person.email)}`),
      );
      const before = await count();
      await open(page);
      const content = await page.content();
      for (const { subject, body } of bodies)
        for (const text of [subject, body.slice(0, 40)]) assert.ok(text === '' || !content.includes(text), text);
      assert.equal(await count(), before);
    }));

  it('is closed to viewers with the identity itself, and asks for nothing', () =>
    visited.visit(
      async ({ page }) => {
        const asked: string[] = [];
        page.on('request', (request) => asked.push(new URL(request.url()).pathname));
        await page.goto(`${visited.dashboard.baseUrl}/identities/${person.id}/history`);
        await page.getByText('Admin access required.').waitFor();
        assert.deepEqual(
          asked.filter((path) => /security|consent|courier|sessions$/.test(path)),
          [],
        );
      },
      { role: 'viewer', path: '/dashboard', heading: 'Overview' },
    ));
});
