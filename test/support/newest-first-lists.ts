import assert from 'node:assert/strict';
import type { Locator, Page } from 'playwright-core';
import type { AuditPage } from '../../shared/audit.ts';
import type { Visit } from './browser.ts';
import type { GivenAnswer, SeenRequest } from './faulting-upstream.ts';
import { interceptedDashboardOfSuite, onPage } from './intercepted-dashboard.ts';
import { listedPage, listedSession } from './listed-pages.ts';
import { sentMessage } from './message-pages.ts';

/** For a suite: a dashboard in front of messages and sessions, and with a trail, to which rows can be added. */
export function newestFirstListsOfSuite() {
  const intercepted = interceptedDashboardOfSuite();
  const call = (path: string, json?: unknown): Promise<Response> =>
    intercepted.dashboard.call(path, { session: intercepted.sessions.admin, ...(json !== undefined && { json }) });
  let made = 0;
  const lists: Record<'messages' | 'sessions', unknown[]> = { messages: [], sessions: [] };
  /** Each later than all others. */
  const next = (): Date => {
    made += 1;
    return new Date(Date.UTC(2026, 0, 1) + made * 1_000);
  };
  const session = (more: { active?: boolean } = {}) => listedSession(made + 1, { at: next(), ...more });
  const message = (status = 'sent') =>
    sentMessage({ recipient: `m${made + 1}@example.org`, created_at: next().toISOString(), status });
  const many = <T>(count: number, make: () => T): T[] => Array.from({ length: count }, make).reverse();

  const LISTS = {
    messages: {
      address: '/messages',
      heading: 'Messages',
      question: /^\/admin\/courier\/messages\?page_size=10(?:&|$)/,
      add: async (count: number) => void lists.messages.unshift(...many(count, () => message())),
    },
    sessions: {
      address: '/sessions',
      heading: 'Sessions',
      question: /^\/admin\/sessions\?page_size=50(?:&|$)/,
      add: async (count: number) => void lists.sessions.unshift(...many(count, () => session())),
    },
    records: {
      address: '/security/audit',
      heading: 'Audit trail',
      question: /^\/api\/security\/audit\?page_size=50(?:&|$)/,
      async add(count: number) {
        for (let index = 0; index < count; index += 1) {
          const answer = await call('/api/settings', { key: 'brand.name', value: 'x', category: 'brand' });
          assert.ok(answer.ok);
        }
      },
    },
  };
  before(() => LISTS.records.add(40));

  const answer = (request: SeenRequest): GivenAnswer | undefined => {
    const { pathname, searchParams } = new URL(request.path, 'http://upstream');
    const name = { '/admin/courier/messages': 'messages', '/admin/sessions': 'sessions' }[pathname];
    if (name === undefined) return undefined;
    const fits = (row: unknown): boolean =>
      ['active', 'status'].every((filter) => {
        const wanted = searchParams.get(filter);
        return wanted === null || String((row as Record<string, unknown>)[filter]) === wanted;
      });
    return listedPage(request, lists[name as 'messages' | 'sessions'].filter(fits));
  };

  /** Opens a list whose clock stands, with a hundred rows. @param questions what was asked since, by address */
  function onList(
    name: keyof typeof LISTS,
    work: (visit: Visit, questions: string[], pass: (milliseconds: number) => Promise<void>) => Promise<void>,
    query = '',
  ): Promise<void> {
    const { address, heading, question } = LISTS[name];
    lists.messages = many(100, () => message());
    lists.sessions = many(100, () => session({ active: made % 2 === 0 }));
    return onPage(
      intercepted,
      '/settings',
      async (visit) => {
        const { page } = visit;
        intercepted.upstream.before = answer;
        const questions: string[] = [];
        // Once answered: the next half minute begins then.
        page.on('requestfinished', (request) => {
          const { pathname, search } = new URL(request.url());
          const path = pathname.replace('/api/identity-admin', '') + search;
          if (question.test(path)) questions.push(path);
        });
        await page.clock.install();
        await page.goto(`${intercepted.dashboard.baseUrl}${address}${query}`);
        await page.getByRole('heading', { level: 1, name: heading }).waitFor();
        await page.getByText(/^Page 1, rows? 1–/).waitFor();
        await page.getByRole('button', { name: 'Read again' }).waitFor();
        // Loaded after the list: from now on it asks.
        await page.locator('[data-newer-rows]').waitFor({ state: 'attached' });
        await work(visit, questions, async (milliseconds) => {
          // What has arrived is taken in first.
          for (let turn = 0; turn < 3; turn += 1) await page.evaluate(() => undefined);
          await page.clock.runFor(milliseconds);
        });
      },
      { heading: 'Settings' },
    );
  }

  /** How many records the trail has. */
  async function recorded(): Promise<number> {
    const { events } = (await (await call('/api/security/audit?page_size=1')).json()) as AuditPage;
    return events[0]?.sequence ?? 0;
  }

  return { intercepted, call, lists, session, message, LISTS, onList, recorded };
}

export const newer = (page: Page): Locator =>
  page.getByRole('main').getByRole('button', { name: / new |Up to date|Reading/ });

export const firstRow = (page: Page): Locator =>
  page.locator('tr[data-row="0"], ol[aria-label^="Records"] > li').first();

/** What tells the first row from all others. */
export const firstName = async (page: Page): Promise<string> =>
  /\S+@\S+|record \d+/.exec(await firstRow(page).innerText())?.[0] ?? assert.fail('no first row');

export const turnTab = (page: Page, visibility: DocumentVisibilityState): Promise<void> =>
  page.evaluate((state) => {
    Object.defineProperty(document, 'visibilityState', { configurable: true, value: state });
    document.dispatchEvent(new Event('visibilitychange', { bubbles: true }));
  }, visibility);
