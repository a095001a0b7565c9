import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { QueryClient } from '@tanstack/react-query';
import type { Identity } from '../../client/api/identities.ts';
import { messagesToQuery } from '../../client/features/identities/identity-timeline.tsx';
import { signInLines } from '../../client/features/identities/identity-timeline-lines.tsx';
import {
  byDay,
  EVERYTHING,
  mergedLines,
  NOTHING,
  type TimelineLine,
  timeOfDay,
} from '../../client/record/timeline-sources.tsx';
import type { AuditPage } from '../../shared/audit.ts';
import { timeOf } from '../../shared/json.ts';
import { type App, appOfSuite } from '../support/app-in-dom.tsx';
import { lockAccounts } from '../support/dashboard.ts';
import { simulateBrowser } from '../support/dom.ts';
import { eventually, until } from '../support/eventually.ts';
import { changeIdentity } from '../support/identity-pages.ts';
import { listenOnLoopback } from '../support/loopback.ts';
import { ofSuite } from '../support/of-suite.ts';
import { seededRandom } from '../support/seeded.ts';
import { coverageSince, respondWithLog, signInEvent } from '../support/sign-in-log.ts';

const lines = (): string[] =>
  [...document.querySelectorAll('[data-timeline] li')].map((line) => line.textContent ?? '');
const kinds = (): string[] =>
  [...document.querySelectorAll('[data-timeline] [data-kind]')].map((mark) => mark.getAttribute('data-kind') ?? '');
const timesOf = (): number[] =>
  [...document.querySelectorAll<HTMLTimeElement>('[data-line-time] time')].map(({ dateTime }) => Date.parse(dateTime));
const reads = (text: RegExp): Promise<void> => eventually(() => document.querySelector('main')?.textContent, text);
const isLoaded = (): Promise<void> => reads(/\d+ events?, (?:all that could be loaded|back to)/);
/** Path and query within the admin API of the identity service. */
const admin = (path: string): string => `/api/identity-admin/admin${path}`;

describe('the timeline of a person', () => {
  const suite = appOfSuite({ people: 60 });
  const call = async <T>(path: string, options: object = {}): Promise<T> => {
    const response = await suite.dashboard.call(path, { session: suite.sessions.admin, ...options });
    assert.ok(response.ok, `${path}: ${response.status}`);
    return (response.status === 204 ? undefined : await response.json()) as T;
  };
  const setState = (id: string, state: string) => changeIdentity(suite, id, { '/state': state });
  /** Has sessions, messages and consents, was changed, locked and unlocked, and one of the sessions was ended. */
  let person: { id: string; email: string };
  /** Has more changes than one page of the audit trail. */
  let busy: { id: string; email: string };
  let endedSession: string;

  before(async () => {
    const people = (await call<Identity[]>(admin('/identities?page_size=250'))).map(({ id, traits }) => ({
      id,
      email: String(traits['email']),
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
    assert.ok(person, 'no person has events of all kinds');
    busy = people.find(({ id }) => id !== person.id) ?? assert.fail();
    for (const state of ['inactive', 'active']) await setState(person.id, state);
    await call(admin(`/sessions/${endedSession}`), { method: 'DELETE' });
    await lockAccounts(suite.dashboard, [person.email]);
    const headers = { 'dashboard-reason': encodeURIComponent('See https://tickets.example/7?a=b, please') };
    await call('/api/security/locked-accounts/unlock', { json: { identifier: person.email }, headers });
    await lockAccounts(suite.dashboard, [person.email, 'somebody.else@example.org']);
    for (let change = 0; change < 30; change += 1) await setState(busy.id, change % 2 === 0 ? 'inactive' : 'active');
  });
  const onTimeline = ({ id }: { id: string }, work: (app: App) => Promise<void>): Promise<void> =>
    suite.open(`/identities/${id}/history`, {}, async (app) => {
      await isLoaded();
      await work(app);
    });

  it('lists events of all kinds, newest first, each with a link and without secrets', async () => {
    const searches = async (): Promise<number> =>
      (await call<AuditPage>('/api/security/audit?action=identity_search&page_size=250')).events.length;
    const before = await searches();
    const messages = await call<{ subject: string; body: string }[]>(
      admin(`/courier/messages?recipient=${encodeURIComponent(person.email)}`),
    );
    await onTimeline(person, async (app) => {
      assert.deepEqual([...new Set(kinds())].sort(), ['consents', 'locks', 'messages', 'record', 'sessions', 'trail']);
      assert.ok(timesOf().length >= 10);
      assert.deepEqual(
        timesOf(),
        timesOf().toSorted((first, second) => second - first),
      );
      await app.shows(/^Today, \d/);
      await reads(/\d+ events, all that could be loaded/);
      assert.ok(!lines().join().includes('somebody.else'));
      for (const [text, to] of [
        [/^\S+Signed in: /, /^\/sessions\/[0-9a-f-]{36}$/],
        [/to .*e-mail|e-mail to /, /^\/messages\/[0-9a-f-]{36}$/],
        [/Granted /, /^\/oauth\/clients\/./],
        [/was locked/, /^\/security\/locked-accounts\?q=/],
        [/unlocked the account/, /^\/security\/audit\?action=account_unlock&from=/],
        [/“See https:\/\/tickets\.example\/7\?a=b, please”/, /^https:\/\/tickets\.example\/7\?a=b$/],
        [/ended .*session/, new RegExp(endedSession)],
        [/was created/, new RegExp(`^/identities/${person.id}$`)],
      ] as const) {
        const addresses = [...document.querySelectorAll('[data-timeline] li')]
          .filter((line) => text.test(line.textContent ?? ''))
          .flatMap((line) => [...line.querySelectorAll('a')].map((link) => link.getAttribute('href') ?? ''));
        assert.ok(
          addresses.some((address) => to.test(address)),
          `${text}: ${addresses}`,
        );
      }
      const content = document.body.innerHTML;
      for (const { subject, body } of messages)
        for (const text of [subject, body.slice(0, 40)]) assert.ok(text === '' || !content.includes(text), text);
    });
    assert.equal(await searches(), before, 'the timeline left a record of a search');
  });

  it('shows revoked consents and ended login sessions, which the OAuth server no longer lists', async () => {
    const { id } = busy;
    const grants = '/api/oauth-admin/admin/oauth2/auth/sessions';
    for (const query of [`subject=${id}&client=shop`, `consent_request_id=1&identity=${id}`])
      await call(`${grants}/consent?${query}`, { method: 'DELETE' });
    await call(`${grants}/login?subject=${id}`, { method: 'DELETE' });
    await suite.open(`/identities/${id}/history?kind=consents`, {}, async () => {
      await eventually(() => lines().filter((line) => /You revoked consents of /.test(line)).length, 2);
      assert.ok(lines().some((line) => / at the client shop/.test(line)));
    });
    await suite.open(`/identities/${id}/history?kind=sessions`, {}, () =>
      eventually(() => lines().join(), /You ended login sessions of /),
    );
  });

  it('shows entries of the sign-in log with what may be missing, and a sign-in only once', async () => {
    const [session] = await call<{ id: string; authenticated_at: string }[]>(
      admin(`/identities/${person.id}/sessions`),
    );
    assert.ok(session);
    const { created_at } = await call<Identity>(admin(`/identities/${person.id}`));
    const later = new Date(timeOf(session.authenticated_at) + 60_000).toISOString();
    const signIn = { event: 'LoginSucceeded', reason: null } as const;
    const gap = { cause: 'not_listening' as const, detail: '', from: created_at, to: later, count: 0 };
    const respond = respondWithLog({
      events: [
        signInEvent(later),
        signInEvent(session.authenticated_at, { ...signIn, session_id: session.id }),
        signInEvent(created_at, { ...signIn, session_id: 'gone' }),
      ],
      coverage: coverageSince(created_at, { gaps: [gap] }),
    });
    const reported = (): number => lines().filter((line) => line.includes('reported from')).length;
    await suite.open(`/identities/${person.id}/history`, { respond, hasSignInLog: true }, async (app) => {
      await isLoaded();
      await eventually(reported, 2);
      await app.shows(/Wrong password · Berlin, Germany · Chrome on macOS/);
      await app.shows(/reported from 203\.0\.113\.9 · password · kratos-customer/);
      await app.shows(/Sign-ins may be missing\. The dashboard was not listening from/);
      await reads(/Sign-ins: Reported by kratos-customer since .* Some may be missing: the log has 1 gap/);
    });
  });

  it('ends where a source has more to load, grows only at its end, and continues if a source fails', () =>
    onTimeline(busy, async (app) => {
      await reads(/\d+ events, back to \d/);
      // Names are loaded after the lines.
      await until(() => !lines().some((line) => line.includes('the identity')));
      const first = lines();
      assert.ok(!first.join().includes('The identity was created'));
      app.respond = ({ path }) =>
        path.startsWith('/api/security/audit') ? Response.json({}, { status: 500 }) : undefined;
      await app.press('Show older');
      await app.shows(/Not all of the audit trail could be read/);
      await eventually(() => lines().join(), /The identity was created/);
      assert.deepEqual(lines().slice(0, first.length), first);
      const { length } = lines();
      app.respond = () => undefined;
      await app.press('Try again');
      await until(() => lines().length > length);
      await app.hides(/Not all of the audit trail could be read/);
      assert.deepEqual(lines().slice(0, first.length), first);
    }));
});

const line = (id: string, at: string): TimelineLine => ({ id, at, kind: 'trail', text: id });
const minute = (number: number): string => new Date(Date.UTC(2026, 0, 1) + number * 60_000).toISOString();
const ids = (lines: readonly TimelineLine[]): string[] => lines.map(({ id }) => id);

describe('the lines of a timeline', () => {
  it('are newer than the oldest loaded line of each source that has more', () => {
    const parts = [
      {
        lines: [line('far', minute(1)), line('same', minute(5)), line('near', minute(9))],
        pagedQuery: { loadedTo: EVERYTHING },
      },
      { lines: [line('own', minute(5)), line('newer', minute(6))], pagedQuery: { loadedTo: Date.parse(minute(5)) } },
    ];
    assert.deepEqual(ids(mergedLines(parts)), ['near', 'newer']);
    assert.deepEqual(mergedLines([...parts, { lines: [], pagedQuery: { loadedTo: NOTHING } }]), []);
  });

  it('grow only at their end when more is loaded from any source', () => {
    for (let seed = 1; seed <= 200; seed += 1) {
      const random = seededRandom(seed);
      // Lines of the same or different sources can have equal times, and pages can have any size.
      const sources = ['x', 'y', 'z'].map((name) => {
        const times = Array.from({ length: random.below(12) }, () => random.below(8)).sort(
          (first, second) => second - first,
        );
        const size = 1 + random.below(4);
        return { all: times.map((time, index) => line(`${name}${index}`, minute(time))), size, read: size };
      });
      const parts = () =>
        sources.map(({ all, read }) => {
          const lines = all.slice(0, read);
          return { lines, pagedQuery: { loadedTo: read < all.length ? timeOf(lines.at(-1)?.at) : EVERYTHING } };
        });
      let before: string[] = [];
      for (;;) {
        const shown = ids(mergedLines(parts()));
        assert.deepEqual(shown.slice(0, before.length), before, `seed ${seed}`);
        before = shown;
        const unfinished = sources.filter(({ all, read }) => read < all.length);
        if (unfinished.length === 0) break;
        const next = random.of(unfinished);
        next.read += next.size;
      }
      assert.equal(
        before.length,
        sources.reduce((sum, { all }) => sum + all.length, 0),
      );
    }
  });

  it('fold equal failures that follow each other within an hour', () => {
    const at = (number: number, over = {}) => signInEvent(minute(number), over);
    const signIn = { event: 'LoginSucceeded', reason: null } as const;
    for (const [events, expected] of [
      [[at(9), at(8), at(7)], /^Wrong password · Berlin, Germany · Chrome on macOS, 3 times since \d/],
      [[at(200), at(9)], 2],
      [[at(9), at(8, { ip: '203.0.113.8' })], 2],
      [[at(9), at(8, { device: null })], 2],
      [[at(9, signIn), at(8, signIn)], 2],
      [[at(9), at(8, signIn), at(7)], 3],
    ] as const) {
      const texts = signInLines(events, []).map(({ text }) => text);
      if (typeof expected === 'number') assert.equal(texts.length, expected);
      else assert.match(texts.join(), expected);
    }
  });

  it('are grouped by day, with words for today and yesterday', () => {
    const now = new Date(2026, 2, 8, 12).getTime();
    const at = (day: number, hour: number): string => new Date(2026, 2, day, hour).toISOString();
    const days = byDay([line('d', at(8, 9)), line('c', at(8, 0)), line('b', at(7, 23)), line('a', at(1, 5))], now);
    assert.deepEqual(
      days.map(({ name, lines }) => [name, ids(lines)]),
      [
        ['Today, 8 Mar 2026', ['d', 'c']],
        ['Yesterday, 7 Mar 2026', ['b']],
        ['1 Mar 2026', ['a']],
      ],
    );
    assert.equal(timeOfDay(at(8, 9)), '09:00:00');
  });
});

describe('the messages of a timeline', () => {
  let requests: URL[];
  /** The body and, unless it is the last page, the cursor of the next one. */
  let response: (url: URL) => { body: unknown; next?: string };

  const http = createServer((req, res) => {
    const url = new URL(req.url ?? '', 'http://localhost');
    requests.push(url);
    const { body, next } = response(url);
    if (next !== undefined) res.setHeader('link', `<${url.pathname}?page_token=${next}>; rel="next"`);
    res.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  const server = ofSuite(() => listenOnLoopback(http));
  ofSuite(() => simulateBrowser(`${server.url}/`));
  beforeEach(() => {
    requests = [];
  });
  const message = (id: string, created_at: string) => ({ id, created_at, recipient: 'x' });

  it('are requested for every address, and later pages only for addresses with more messages', async () => {
    response = ({ searchParams }) => {
      const [recipient, token] = [searchParams.get('recipient'), searchParams.get('page_token')];
      if (recipient === 'short@x') return { body: [message('s1', '2026-01-09T00:00:00Z')] };
      if (token === 'next of busy@x') return { body: [message('b3', '2026-01-02T00:00:00Z')] };
      const body = [message(`${recipient}1`, '2026-01-08T00:00:00Z'), message(`${recipient}2`, '2026-01-07T00:00:00Z')];
      if (recipient === 'busy@x') body[1] = message('b2', '2026-01-07T12:00:00Z');
      return token === null ? { body, next: `next of ${recipient}` } : { body: [] };
    };
    const queryClient = new QueryClient();
    const query = messagesToQuery(['short@x', 'busy@x', 'quiet@x']);
    const first = await queryClient.fetchInfiniteQuery(query);
    // Older messages to busy@x are not loaded yet, so the list may be incomplete before this time.
    assert.equal(first.pages[0]?.loadedTo, '2026-01-07T12:00:00Z');
    assert.equal(first.pages[0]?.rows.length, 5);
    requests = [];
    const { pages } = await queryClient.fetchInfiniteQuery({ ...query, pages: 2, staleTime: 0 });
    assert.deepEqual(
      requests.slice(3).map(({ searchParams }) => [searchParams.get('recipient'), searchParams.get('page_token')]),
      [
        ['busy@x', 'next of busy@x'],
        ['quiet@x', 'next of quiet@x'],
      ],
    );
    assert.equal(pages[1]?.loadedTo, undefined);
    assert.deepEqual(
      pages
        .flatMap(({ rows }) => rows)
        .map(({ id }) => id)
        .sort(),
      ['b2', 'b3', 'busy@x1', 'quiet@x1', 'quiet@x2', 's1'],
    );
  });
});
