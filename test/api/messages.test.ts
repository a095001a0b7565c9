import assert from 'node:assert/strict';
import { messageItem } from '../support/faulting-upstream.ts';
import { startMappedDashboard } from '../support/mapped-dashboard.ts';
import { ofSuite } from '../support/of-suite.ts';
import { assertError } from '../support/settings-app.ts';

const ID = '6e0b4b1c-9d1f-4a55-8d5a-5d0c5f3a7b11';
/** As long as one of Kratos' own. */
const TOKEN = 'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA-_8=';

describe('GET /api/messages', () => {
  const suite = ofSuite(() => startMappedDashboard());
  beforeEach(() => suite.identityAdmin.reset());

  const call = (path: string) => suite.dashboard.call(`/api/messages${path}`, { session: suite.sessions.admin });
  function respond(status: number, body: unknown, headers: Record<string, string> = {}): void {
    suite.identityAdmin.before = () => ({ status, headers, body: JSON.stringify(body) });
  }
  const requests = (): string[] => suite.identityAdmin.requests.map(({ path }) => path);

  const MESSAGE = messageItem({ id: ID, dispatches: [{ error: { host: 'smtp.internal' } }] });
  const { subject: _subject, body: _body, channel: _channel, dispatches: _dispatches, ...LISTED } = MESSAGE;

  it('returns eight members of a message, never subject and body, whatever else the store returns', async () => {
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
    for (const query of ['status=gone', 'recipient=a&recipient=b'])
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
