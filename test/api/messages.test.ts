import assert from 'node:assert/strict';
import type { MessagePage } from '../../shared/messages.ts';
import { indexReady } from '../support/dashboard.ts';
import { listPage, messageItem } from '../support/faulting-upstream.ts';
import { startMappedDashboard } from '../support/mapped-dashboard.ts';
import { ofSuite } from '../support/of-suite.ts';
import { assertError } from '../support/settings-app.ts';

const ID = '6e0b4b1c-9d1f-4a55-8d5a-5d0c5f3a7b11';
/** As long as one of Kratos' own. */
const TOKEN = 'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA-_8=';

describe('GET /api/messages', () => {
  // Without the index, which reads from the store as well.
  const suite = ofSuite(() => startMappedDashboard({ IDENTITY_INDEX: 'off' }));
  beforeEach(() => suite.identityAdmin.reset());

  const call = (path: string) => suite.dashboard.call(`/api/messages${path}`, { session: suite.sessions.admin });
  function respond(status: number, body: unknown, headers: Record<string, string> = {}): void {
    suite.identityAdmin.before = () => ({ status, headers, body: JSON.stringify(body) });
  }
  const requests = (): string[] => suite.identityAdmin.requests.map(({ path }) => path);

  const MESSAGE = messageItem({ id: ID, dispatches: [{ error: { host: 'smtp.internal' } }] });
  const { subject: _subject, body: _body, channel: _channel, dispatches: _dispatches, ...members } = MESSAGE;
  const LISTED = { ...members, identity: null };

  it('returns named members of a message, never subject and body, whatever else the store returns', async () => {
    const stored = [MESSAGE, { ...MESSAGE, status: { subject: 'SECRET' }, type: ['SECRET'], send_count: 'SECRET' }];
    const messages = [LISTED, { ...LISTED, status: '', type: '', send_count: 0 }];
    respond(200, stored, { Link: `<http://elsewhere.test/?page_token=${TOKEN}>; rel="next"` });
    assert.deepEqual(await (await call('')).json(), { messages, next_page_token: TOKEN, has_more: true });
    for (const [index, message] of messages.entries()) {
      respond(200, stored[index]);
      assert.deepEqual(await (await call(`/${ID}`)).json(), message);
    }
  });

  it('forwards filters, size and token to the store, and records a search for a recipient', async () => {
    respond(200, []);
    const before = suite.dashboard.logged.length;
    const page = await call(`?status=sent&recipient=A%2Bb%40example.org&page_size=5&page_token=${TOKEN}`);
    assert.deepEqual(await page.json(), { messages: [], next_page_token: null, has_more: false });
    await call('?status=sent');
    const query = `page_size=5&page_token=${encodeURIComponent(TOKEN)}&recipient=A%2Bb%40example.org&status=sent`;
    assert.equal(requests()[0], `/admin/courier/messages?${query}`);
    const audits = suite.dashboard.logged.slice(before).map((line) => JSON.parse(line).audit);
    const filters = audits.flatMap((audit) => audit?.searchFilter ?? []);
    assert.deepEqual(filters, ['messages:recipient=A%2Bb%40example.org&status=sent']);
  });

  it('refuses invalid parameters, and tokens that would break Kratos’ connection, without a request to it', async () => {
    for (const token of ['nope', 'A'.repeat(31), `${TOKEN}!`, '=', `%0a${TOKEN}`])
      await assertError(await call(`?page_token=${token}`), 400, 'invalid_page_token');
    await assertError(await call('?page_size=0'), 400, 'invalid_page_size');
    for (const token of [TOKEN, 'W10', 'nope'])
      await assertError(await call(`?template=x&page_token=${token}`), 400, 'invalid_page_token');
    const repeated = ['recipient=a&recipient=b', 'template=a&template=b'];
    for (const query of [...repeated, 'status=gone', 'from=today', 'to=2026-02-30'])
      await assertError(await call(`?${query}`), 400, 'bad_request');
    for (const id of ['absent', `${ID}x`]) await assertError(await call(`/${id}`), 404, 'not_found');
    assert.deepEqual(requests(), []);
  });

  const ABSENT = { error: { code: 404, status: 'Not Found', message: 'Unable to locate the resource' } };
  const REFUSED = { error: { code: 500, message: 'decrypt token: SECRET' } };
  for (const [path, status, body, expected, error] of [
    [`?page_token=${TOKEN}`, 400, REFUSED, 400, 'invalid_page_token'],
    ['', 400, REFUSED, 502, 'bad_gateway'],
    ['', 200, { messages: [] }, 502, 'bad_gateway'],
    ['', 200, [{ ...MESSAGE, id: 'SECRET' }], 502, 'bad_gateway'],
    [`/${ID}`, 404, ABSENT, 404, 'not_found'],
    [`/${ID}`, 404, 'no such page', 502, 'bad_gateway'],
    [`/${ID}`, 200, [MESSAGE], 502, 'bad_gateway'],
    [`/${ID}`, 200, null, 502, 'bad_gateway'],
  ] as const)
    it(`responds ${expected} ${error} to GET /api/messages${path} if the store responds ${status} ${JSON.stringify(body).slice(0, 20)}`, async () => {
      respond(status, body);
      const { message } = await assertError(await call(path), expected, error);
      assert.doesNotMatch(message, /SECRET/);
    });
});

describe('GET /api/messages?template=&from=&to=', () => {
  const suite = ofSuite(() => startMappedDashboard({ IDENTITY_INDEX: 'off' }));
  const NEWEST_AT = Date.parse('2026-02-01T12:00:00Z');
  const at = (index: number): string => new Date(NEWEST_AT - index * 60_000).toISOString();
  const idOf = (index: number): string => `6e0b4b1c-9d1f-4a55-8d5a-${String(index).padStart(12, '0')}`;
  /** One a minute, every second one about a recovery. */
  const stored = Array.from({ length: 600 }, (_, index) =>
    messageItem({ id: idOf(index), created_at: at(index), template_type: index % 2 ? 'recovery_valid' : 'login' }),
  );
  const page = async (query: string): Promise<MessagePage & { error?: string }> =>
    (await suite.dashboard.call(`/api/messages?${query}`, { session: suite.sessions.admin })).json();
  const minutesOf = ({ messages }: MessagePage): number[] => messages.map(({ id }) => Number(id.slice(-12)));
  const newest = { messages: 500, since: at(499) };

  for (const [title, length, query, minutes, of, requests] of [
    ['by template', 600, 'template=recovery_valid', [1, 3, 5], newest, 2],
    ['from a time, and no older page', 600, `from=${at(2)}`, [0, 1, 2], undefined, 1],
    ['from a time on the second page', 600, `from=${at(300)}&to=${at(298)}`, [299, 300], undefined, 2],
    ['to a time', 600, `to=${at(497)}`, [498, 499], newest, 2],
    ['by template within a time', 600, `template=login&from=${at(4)}&to=${at(1)}`, [2, 4], undefined, 1],
    ['by template in a short queue', 3, 'template=login', [0, 2], undefined, 1],
    ['in exactly as many', 500, 'template=stub', [], undefined, 2],
    ['with a status', 600, 'template=login&status=queued', [0, 2, 4], newest, 2],
  ] as const)
    it(`searches the newest 500 ${title}, and says if there are older ones`, async () => {
      suite.identityAdmin.reset();
      suite.identityAdmin.before = (request) => listPage(request, stored.slice(0, length));
      const found = await page(`${query}&page_size=3`);
      assert.deepEqual([minutesOf(found), found.newest], [minutes, of]);
      const { searchParams } = new URL(suite.identityAdmin.requests[0]?.path ?? '', 'http://x');
      assert.equal(searchParams.get('status'), new URLSearchParams(query).get('status'));
      assert.equal(suite.identityAdmin.requests.length, requests);
    });

  it('has pages, whose tokens stay valid while their last message is among the newest 500', async () => {
    const stub = (items: unknown[]) => {
      suite.identityAdmin.before = (request) => listPage(request, items);
    };
    stub(stored);
    const next = `template=login&page_size=2&page_token=${(await page('template=login&page_size=2')).next_page_token}`;
    stub([messageItem({ template_type: 'login' }), ...stored]);
    assert.deepEqual(minutesOf(await page(next)), [4, 6]);
    stub(stored.slice(10));
    assert.equal((await page(next)).error, 'invalid_page_token');
  });
});

describe('the people of GET /api/messages', () => {
  const suite = ofSuite(() => startMappedDashboard());
  let ada: { id: string; traits: { email: string; name: string } };
  before(async () => {
    await indexReady(suite.dashboard, suite.sessions.admin);
    const response = await suite.dashboard.call('/api/identities?page_size=1', { session: suite.sessions.admin });
    [ada] = (await response.json()).identities;
  });

  const address = (): string => ada.traits.email;
  const person = () => ({ id: ada.id, name: ada.traits.name });
  const here = (id: string, value = address()) => ({ ...ada, id, verifiable_addresses: [{ value }] });
  const json = (body: unknown) => ({ status: 200, body: JSON.stringify(body) });
  for (const [title, query, recipient, people, expected] of [
    ['have the name of the identity with the address', '', address, undefined, person],
    ['are found on the page of a message', `/${ID}`, address, undefined, person],
    ['are found for a search by template', '?template=x', address, undefined, person],
    ['are null for an address that nobody has', '', () => 'nobody@example.org', undefined, () => null],
    ['are null for part of an address', '', () => address().slice(1), undefined, () => null],
    ['are null for a former address', '', address, () => json([here(ada.id, 'new@example.org')]), () => null],
    ['are null for an address of two', '', address, () => json([here(ada.id), here(ID)]), () => null],
    ['are null if the store fails', '', address, () => ({ status: 500 }), () => null],
    ['are null if the store does not respond in time', '', address, () => 'silence' as const, () => null],
    ['are absent from a search for a recipient', '?recipient=x', address, undefined, () => undefined],
  ] as const)
    it(`${title}`, async () => {
      const message = messageItem({ id: ID, recipient: recipient(), template_type: 'x' });
      suite.identityAdmin.reset();
      suite.identityAdmin.before = ({ path }) => {
        if (path.includes('ids=')) return people?.();
        return path.startsWith('/admin/courier/') ? json(path.includes(ID) ? message : [message]) : undefined;
      };
      const response = await suite.dashboard.call(`/api/messages${query}`, { session: suite.sessions.admin });
      const body = await response.json();
      assert.deepEqual((body.messages?.[0] ?? body).identity, expected());
      if (expected() === undefined) assert.ok(!suite.identityAdmin.requests.some(({ path }) => path.includes('ids=')));
    });
});
