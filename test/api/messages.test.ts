import assert from 'node:assert/strict';
import type { MessagePage } from '../../shared/messages.ts';
import { indexReady } from '../support/dashboard.ts';
import { eventually } from '../support/eventually.ts';
import { listPage, type MessageItem, messageItem, type StubResponse } from '../support/faulting-upstream.ts';
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

describe('GET /api/messages, with the index', () => {
  const suite = ofSuite(() => startMappedDashboard());
  let ada: { id: string; traits: { email: string; name: string } };
  before(async () => {
    await indexReady(suite.dashboard, suite.sessions.admin);
    [ada] = (await read('/api/identities?page_size=1')).identities;
  });
  const read = async (path: string) => (await suite.dashboard.call(path, { session: suite.sessions.admin })).json();
  const json = (body: unknown) => ({ status: 200, body: JSON.stringify(body) });
  /** Responds with a queue, and unless it is undefined, with people by id. @returns the requests */
  function store(items: readonly MessageItem[], people?: () => StubResponse | undefined): { path: string }[] {
    suite.identityAdmin.reset();
    suite.identityAdmin.before = (request) => {
      if (request.path.includes('ids=')) return people?.();
      if (request.path.endsWith(ID)) return json(items[0]);
      return request.path.includes('/courier/') ? listPage(request, items) : undefined;
    };
    return suite.identityAdmin.requests;
  }

  const at = (minute: number): string => new Date(Date.parse('2026-02-01T12:00:00Z') - minute * 60_000).toISOString();
  /** One a minute, every second one about a recovery. */
  const QUEUE = Array.from({ length: 600 }, (_, minute) =>
    messageItem({ created_at: at(minute), template_type: minute % 2 ? 'recovery_valid' : 'login' }),
  );
  const minutesOf = ({ messages }: MessagePage): number[] =>
    messages.map(({ id }) => QUEUE.findIndex((message) => message.id === id));
  for (const [length, query, minutes, hasOlder, pages] of [
    [600, 'template=recovery_valid', [1, 3, 5], true, 2],
    [600, `from=${at(2)}`, [0, 1, 2], false, 1],
    [600, `from=${at(300)}&to=${at(298)}`, [299, 300], false, 2],
    [600, `to=${at(497)}&status=queued`, [498, 499], true, 2],
    [600, `template=login&from=${at(4)}&to=${at(1)}`, [2, 4], false, 1],
    [500, 'template=stub', [], false, 2],
  ] as const)
    it(`searches the newest 500 of ${length} by ${query}, and says if there are older ones`, async () => {
      const requests = store(QUEUE.slice(0, length));
      const found = await read(`/api/messages?${query}&page_size=3`);
      const newest = hasOlder ? { messages: 500, since: at(499) } : undefined;
      const page = query.includes('status') ? /courier.*status=queued&page_size=250/ : /courier.*\?page_size=250/;
      const read250 = requests.filter(({ path }) => page.test(path)).length;
      assert.deepEqual([minutesOf(found), found.newest, read250], [minutes, newest, pages]);
    });

  it('searches two pages of the queue, also of a service that always has another one without a message', async () => {
    const requests = store([]);
    suite.identityAdmin.before = () => ({ ...json([]), headers: { link: `</x?page_token=${TOKEN}>; rel="next"` } });
    const { messages, total } = await read('/api/messages?template=login');
    assert.deepEqual([messages, total, requests.filter(({ path }) => path.includes('=250')).length], [[], 0, 2]);
  });

  it('has pages, whose tokens stay valid while their last message is among the newest 500', async () => {
    store(QUEUE);
    const { next_page_token } = await read('/api/messages?template=login&page_size=2');
    const next = `/api/messages?template=login&page_size=2&page_token=${next_page_token}`;
    store([messageItem({ template_type: 'login' }), ...QUEUE]);
    assert.deepEqual(minutesOf(await read(next)), [4, 6]);
    store(QUEUE.slice(10));
    assert.equal((await read(next)).error, 'invalid_page_token');
  });

  const address = (): string => ada.traits.email;
  const person = () => ({ id: ada.id, name: ada.traits.name });
  const here = (id: string, value = address()) => ({ ...ada, id, verifiable_addresses: [{ value }] });
  for (const [title, query, recipient, people, expected] of [
    ['have the name of the identity with the address', '', address, undefined, person],
    ['are found on the page of a message', `/${ID}`, address, undefined, person],
    ['are null for part of an address', '', () => address().slice(1), undefined, () => null],
    ['are null for a former address', '', address, () => json([here(ada.id, 'new@example.org')]), () => null],
    ['are null for an address of two', '', address, () => json([here(ada.id), here(ID)]), () => null],
    ['are null if the store fails', '', address, () => ({ status: 500 }), () => null],
    ['are null if the store does not respond in time', '', address, () => 'silence' as const, () => null],
    ['are absent from a search for a recipient', '?recipient=x', address, undefined, () => undefined],
  ] as const)
    it(`names people, who ${title}`, async () => {
      const requests = store([messageItem({ id: ID, recipient: recipient() })], people);
      const identityOf = async () => {
        const body = await read(`/api/messages${query}`);
        return (body.messages?.[0] ?? body).identity;
      };
      // A slow machine may not have it in time.
      await eventually(identityOf, expected());
      if (expected() === undefined) assert.ok(!requests.some(({ path }) => path.includes('ids=')));
    });
});
