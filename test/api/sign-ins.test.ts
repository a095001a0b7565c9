import assert from 'node:assert/strict';
import type { ClientUsagePage, SignInPage, SignInSummary } from '../../shared/sign-ins.ts';
import { startDashboard } from '../support/dashboard.ts';
import { ofSuite } from '../support/of-suite.ts';
import { EVENTS_KEY, exportRequest, type SentEvent, sendEvents } from '../support/otlp.ts';

/** The day after one of 25 hours in Berlin. */
const NOW = Date.UTC(2026, 9, 26, 12);
const MINUTE = 60_000;
const ADA = '7edabc77-767e-4567-ad22-da19b2d46202';
const BAD =
  'ip=x ip=1.2.3.4/8 ip=::1&ip=::2 identity_id=1 country=no outcome=x method=x from=x page_size=0 page_size=251 page_token=x';
/** Minutes since the events of this day that are found. */
const FILTERS = {
  'outcome=': '1,2,3,4,5,6',
  'outcome=failed&page_size=250': '1,2,3,4,5',
  'method=passkey': '6',
  'reason=inactive': '5',
  'service=kratos': '3,4,5,6',
  'country=NO': '',
  [`identity_id=${ADA.toUpperCase()}&outcome=failed`]: '5',
  'client_id=shop': '2',
  'ip=203.0.113.9': '1,5,6',
  'ip=2001:db8:0::1&outcome=failed': '4',
  'ip=2001:db8::/64': '3,4',
  'to=2026-10-26T11:57:00Z': '4,5,6',
};

describe('the routes of the sign-in log', () => {
  const env = { EVENTS_PORT: '0', EVENTS_KEY, GEOIP_DATABASE: 'off' };
  const dashboard = ofSuite(() => startDashboard({ now: () => NOW, env }));
  let session: string;
  let traces = 0;
  async function send(...events: SentEvent[]): Promise<void> {
    const spans = events.map((event) => ({
      ...{ service: event[0].startsWith('OAuth2') ? 'hydra' : 'kratos', events: [event] },
      trace: String(++traces).padStart(32, '0'),
    }));
    const [, port] = /"eventsPort":(\d+)/.exec(dashboard.logged.join('')) ?? [];
    assert.equal(await sendEvents(Number(port), exportRequest(...spans)), 200);
  }
  const get = async <Body>(path: string) => (await (await dashboard.call(`/api/${path}`, { session })).json()) as Body;
  const statusOf = async (path: string) => (await dashboard.call(`/api/${path}`, { session })).status;
  before(async () => {
    session = await dashboard.signIn('admin');
    const [IdentityID, ClientIP] = [ADA, '203.0.113.9'];
    const ago = (minutes: number): number => NOW - minutes * MINUTE;
    await send(
      ['LoginSucceeded', ago(6), { IdentityID, ClientIP, SelfServiceMethodUsed: 'passkey' }],
      ['LoginFailed', ago(5), { IdentityID, ClientIP, Reason: 'This account was disabled.' }],
      ['LoginFailed', ago(4), { ClientIP: '2001:db8::1' }],
      ['LoginFailed', ago(3), { ClientIP: '2001:DB8:0:0::2' }],
      ['OAuth2TokenExchangeError', ago(2), { OAuth2ClientID: 'shop', ErrorReason: 'invalid_grant' }],
      ['OAuth2TokenExchangeError', ago(1), { ClientIP, ErrorReason: 'invalid_client' }],
      // 00:05 on Sunday in Kolkata, both hours after 02:00 on Sunday in Berlin, and 00:30 on Monday there.
      ['LoginFailed', Date.UTC(2026, 9, 24, 18, 35), { IdentityID }],
      ...[0, 1, 23].map((hour) => ['LoginSucceeded', Date.UTC(2026, 9, 25, hour, 30), { IdentityID }] as const),
      ...['a', 'b', 'c'].map((id) => ['OAuth2AccessTokenIssued', NOW, { OAuth2ClientID: id }] as const),
    );
  });

  it('find events by each filter, and refuse what none accepts', async () => {
    for (const [query, minutes] of Object.entries(FILTERS)) {
      const { events } = await get<SignInPage>(`security/sign-ins?from=2026-10-26T00:00:00Z&${query}`);
      assert.equal(events.map(({ at }) => (NOW - Date.parse(at)) / MINUTE).join(), minutes, query);
    }
    for (const query of BAD.split(' ')) assert.equal(await statusOf(`security/sign-ins?${query}`), 400, query);
    assert.equal(await statusOf('security/sign-ins/summary?time_zone=x'), 400);
  });

  it('record a search by address in its canonical form, and no other search', async () => {
    const recorded = () => get<{ events: { target: string }[] }>('security/audit?action=identity_search');
    const before = (await recorded()).events.length;
    for (const query of [`identity_id=${ADA}&outcome=failed`, 'ip=2001:DB8:0:0::1&outcome=failed&service='])
      await get(`security/sign-ins?${query}`);
    const { events } = await recorded();
    assert.deepEqual([events.length, events[0]?.target], [before + 1, 'sign-ins:ip=2001%3Adb8%3A%3A1&outcome=failed']);
  });

  it('page through all events once, newest first, while others arrive', async () => {
    const { events: all } = await get<SignInPage>('security/sign-ins?page_size=250');
    const seen: string[] = [];
    for (let token: string | null = ''; token !== null; ) {
      const page: SignInPage = await get(`security/sign-ins?page_size=1&page_token=${token}`);
      await send(['SessionRevoked', NOW + 1_000 + seen.length]);
      seen.push(...page.events.map(({ id }) => id));
      assert.equal(page.has_more, page.next_page_token !== null);
      token = page.next_page_token;
    }
    assert.equal(seen.join(), all.map(({ id }) => id).join());
  });

  it('count sign-ins by local day, also on one of 25 hours, and failures that name nobody by address', async () => {
    const DAYS = {
      'Europe/Berlin': '2026-10-24 0/1, 2026-10-25 2/0, 2026-10-26 2/3',
      'Asia/Kolkata': '2026-10-25 2/1, 2026-10-26 2/3',
      UTC: '2026-10-24 0/1, 2026-10-25 3/0, 2026-10-26 1/3',
    };
    for (const [zone, days] of Object.entries(DAYS)) {
      const summary = await get<SignInSummary>(`security/sign-ins/summary?time_zone=${zone}`);
      const { succeeded, failed, sign_in_addresses, token_addresses } = summary;
      const shown = succeeded.map(({ day, count }, index) => `${day} ${count}/${failed[index]?.count}`);
      assert.equal(shown.join(', '), days, zone);
      const addresses = [...sign_in_addresses, ...token_addresses].map(({ ip, count }) => `${ip} ${count}`);
      assert.deepEqual(addresses, ['2001:db8::2 1', '2001:db8::1 1', '203.0.113.9 1']);
    }
  });

  it('page through the clients that were used', async () => {
    const page = (query: string) => get<ClientUsagePage>(`oauth-clients/usage?${query}`);
    const first = await page('page_size=2');
    const second = await page(`page_size=2&page_token=${first.next_page_token}`);
    const clients = [...first.clients, ...second.clients, ...(await page('client_id=b')).clients];
    const tokens = [{ day: '2026-10-26', count: 1 }];
    const last_used_at = new Date(NOW).toISOString();
    assert.deepEqual(
      clients,
      ['a', 'b', 'c', 'b'].map((client_id) => ({ client_id, last_used_at, tokens })),
    );
    assert.deepEqual([first.has_more, second.has_more, second.next_page_token], [true, false, null]);
  });
});
