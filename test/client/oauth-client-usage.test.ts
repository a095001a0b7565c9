import assert from 'node:assert/strict';
import type { ClientUsagePage } from '../../shared/sign-ins.ts';
import { type App, appOfSuite } from '../support/app-in-dom.tsx';
import { eventually } from '../support/eventually.ts';
import { createClient } from '../support/oauth-client-pages.ts';
import { coverageSince, respondWithLog, signInEvent } from '../support/sign-in-log.ts';

/** Waits for text that may span several elements. */
const displays = (text: RegExp): Promise<void> => eventually(() => document.body.textContent, text);

describe('the use of OAuth2 clients', () => {
  const suite = appOfSuite({ service: 'OAUTH_ADMIN_URL' });

  it('finds clients that are unused for 90 days, or before that since uses are known', async () => {
    for (const [days, label] of [
      [400, 'Unused for 90 days'],
      [5, /^Unused since \d/],
    ] as const) {
      const since = new Date(Date.now() - days * 86_400_000).toISOString();
      const gap = { cause: 'refused' as const, detail: 'key', from: since, to: new Date().toISOString(), count: 1 };
      const log = respondWithLog({
        coverage: coverageSince(since, { gaps: [gap] }),
      });
      const found = { clients: [{ client_id: 'idle' }], next_page_token: null, has_more: false, total: 1 };
      const index = { complete: true, clients: 60, as_of: since };
      const respond: App['respond'] = (request) =>
        request.path.startsWith('/api/oauth-clients/search') ? Response.json({ ...found, index }) : log(request);
      await suite.open('/oauth/clients', { heading: 'Clients', respond, hasSignInLog: true }, async (app) => {
        await app.shows(/^Page 1/);
        await app.press('+ Use');
        await app.user.click(await app.shows(label));
        await app.shows('1 client matches');
        assert.equal(app.address(), '/oauth/clients?unused=yes');
        await displays(/Unused .*; newer clients are left out\. Reported by hydra since .* the log has 1 gap/);
        assert.ok(app.requests.some(({ path }) => /clients\/search\?unused=true&/.test(path)));
      });
    }
  });

  it('shows the use of a client and its refused token requests if the sign-in log is on', async () => {
    const client = await createClient(suite);
    const open = (usage: Partial<ClientUsagePage>, hasSignInLog: boolean, work: (app: App) => Promise<void>) => {
      const page = { clients: [], next_page_token: null, has_more: false, since: '2026-01-01T00:00:00.000Z', ...usage };
      const refused = { event: 'OAuth2TokenExchangeError', reason: 'invalid_grant', place: null } as const;
      const events = [signInEvent(new Date().toISOString(), refused)];
      const respond = respondWithLog({ events, coverage: coverageSince(null), usage: page });
      return suite.open(`/oauth/clients/${client.client_id}`, { respond, hasSignInLog }, work);
    };
    const day = new Date().toISOString().slice(0, 10);
    const tokens = [{ day, count: 1_200 }];
    const used = { client_id: client.client_id, last_used_at: new Date(Date.now() - 7_200_000).toISOString(), tokens };
    await open({ clients: [used] }, true, async (app) => {
      await displays(/Last used2 hours ago.*Tokens in 30 days1,200/);
      await app.shows(`${day}: 1,200 tokens`);
      await displays(/just now: Token refused: invalid code or refresh token · 203\.0\.113\.9/);
      await displays(/A request with a wrong secret does not name the client/);
    });
    await open({}, true, () => displays(/Last usednot since 1 Jan 2026/));
    await open({ since: null }, true, () => displays(/Nothing has been reported yet/));
    await open({}, false, async (app) => {
      await app.shows('At a glance');
      assert.equal(app.screen.queryByText('Usage'), null);
      assert.ok(app.requests.every(({ path }) => !/usage|sign-ins/.test(path)));
    });
  });
});
