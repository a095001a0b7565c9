import assert from 'node:assert/strict';
import type { ClientSearchPage } from '../../shared/client-search.ts';
import { indexReady, knexOf } from '../support/dashboard.ts';
import { listPage } from '../support/faulting-upstream.ts';
import { startMappedDashboard } from '../support/mapped-dashboard.ts';
import { ofSuite } from '../support/of-suite.ts';
import { assertError } from '../support/settings-app.ts';

const [SINCE, THEN] = ['2026-01-01T00:00:00.000Z', '2026-02-01T00:00:00.000Z'];
/** Times in the log have nanoseconds. */
const exactly = (time: string): string => time.replace('Z', '000000Z');
/** Ten clients; the last one was created a second after `THEN`. */
const CLIENTS = Array.from({ length: 10 }, (_, number) => ({
  client_id: `app-${number}`,
  created_at: number < 9 ? '2025-06-01T00:00:00Z' : '2026-02-01T00:00:01Z',
}));

describe('GET /api/oauth-clients/search?unused_since', () => {
  const mapped = ofSuite(startMappedDashboard);
  const search = (query = ''): Promise<Response> =>
    mapped.dashboard.call(`/api/oauth-clients/search?unused_since=${THEN}${query}`, { session: mapped.sessions.admin });
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

  it('is refused without the sign-in log, before the first report, and for a time before it', async () => {
    await start({});
    await assertError(await search(), 400, 'search_not_supported');
    await start({ EVENTS_PORT: '0', EVENTS_KEY: 'k'.repeat(32) });
    await assertError(await search(), 400, 'search_not_supported');
    const knex = knexOf(mapped.dashboard);
    const row = { service: 'hydra', api: 'oauth', last_at: '', last_event_at: '', look_at: '' };
    await knex('event_sources').insert({ ...row, first_at: exactly('2026-02-02T00:00:00.000Z') });
    await assertError(await search(), 400, 'bad_request');
    await knex('event_sources').update({ first_at: exactly(SINCE) });
    await knex.destroy();
  });

  it('finds clients that existed then and have had no token since, in full pages', async () => {
    const knex = knexOf(mapped.dashboard);
    for (const [client, time] of [
      ['app-0', THEN],
      ['app-1', '2026-03-01T00:00:00.000Z'],
      ['app-2', '2026-01-31T23:59:59.999Z'],
      ['app-4', '2026-03-01T00:00:00.000Z'],
    ] as const)
      await knex('client_uses').insert({ client, last_used: exactly(time) });
    await knex.destroy();
    const first = await found('&page_size=3');
    assert.deepEqual([first.ids, first.total], ['2,3,5', 7]);
    const rest = await found(`&page_token=${first.next_page_token}`);
    assert.deepEqual([rest.ids, rest.total], ['6,7,8', 6]);
    assert.equal((await found('&q=app-3')).ids, '3');
  });
});
