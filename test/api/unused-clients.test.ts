import assert from 'node:assert/strict';
import type { ClientSearchPage } from '../../shared/client-search.ts';
import { indexReady, knexOf } from '../support/dashboard.ts';
import { listPage } from '../support/faulting-upstream.ts';
import { startMappedDashboard } from '../support/mapped-dashboard.ts';
import { ofSuite } from '../support/of-suite.ts';
import { assertError } from '../support/settings-app.ts';

const DAY_MS = 86_400_000;
const daysAgo = (days: number): string => new Date(Date.now() - days * DAY_MS).toISOString();
const THEN = daysAgo(10);
/** Times in the log have nanoseconds. */
const exactly = (time: string): string => time.replace('Z', '000000Z');
/** Ten clients; the last one was created after `THEN`. */
const CLIENTS = Array.from({ length: 10 }, (_, number) => ({
  client_id: `app-${number}`,
  created_at: number < 9 ? '2025-06-01T00:00:00Z' : daysAgo(9),
}));

describe('GET /api/oauth-clients/search?unused', () => {
  const mapped = ofSuite(startMappedDashboard);
  const search = (query = ''): Promise<Response> =>
    mapped.dashboard.call(`/api/oauth-clients/search?unused=true${query}`, { session: mapped.sessions.admin });
  async function found(query?: string): Promise<ClientSearchPage & { ids: string }> {
    const page = (await (await search(query)).json()) as ClientSearchPage;
    return { ...page, ids: page.clients.map(({ client_id }) => String(client_id).slice(4)).join() };
  }
  async function start(env: Record<string, string>): Promise<void> {
    await mapped.restart(env);
    mapped.oauthAdmin.before = (request) => {
      const { pathname } = new URL(request.path, 'http://server');
      if (pathname === '/admin/clients') return listPage(request, CLIENTS);
      const client = CLIENTS.find(({ client_id }) => pathname === `/admin/clients/${client_id}`);
      return client && { status: 200, body: JSON.stringify(client) };
    };
    await indexReady(mapped.dashboard, mapped.sessions.admin);
  }

  it('is refused without the sign-in log, and before its first report', async () => {
    await start({});
    await assertError(await search(), 400, 'search_not_supported');
    await start({ EVENTS_PORT: '0', EVENTS_KEY: 'k'.repeat(32) });
    await assertError(await search(), 400, 'search_not_supported');
  });

  it('finds clients that existed then and have had no token since, in full pages', async () => {
    const knex = knexOf(mapped.dashboard);
    const row = { service: 'hydra', api: 'oauth', last_at: '', last_event_at: '', look_at: '' };
    await knex('event_sources').insert({ ...row, first_at: exactly(THEN) });
    for (const [client, time] of [
      ['app-0', THEN],
      ['app-1', daysAgo(1)],
      ['app-2', daysAgo(11)],
      ['app-4', daysAgo(1)],
    ] as const)
      await knex('client_uses').insert({ client, last_used: exactly(time) });
    const first = await found('&page_size=3');
    assert.deepEqual([first.ids, first.total, first.unused_since], ['2,3,5', 7, THEN]);
    const rest = await found(`&page_token=${first.next_page_token}`);
    assert.deepEqual([rest.ids, rest.total], ['6,7,8', 6]);
    assert.equal((await found('&q=app-3')).ids, '3');
    // More than 90 days do not matter.
    await knex('event_sources').update({ first_at: exactly(daysAgo(200)) });
    const days = (Date.now() - Date.parse((await found()).unused_since ?? '')) / DAY_MS;
    assert.equal(Math.round(days), 90);
    await knex.destroy();
  });
});
