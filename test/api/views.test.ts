import assert from 'node:assert/strict';
import { VIEWS_MAX } from '../../shared/views.ts';
import { type Dashboard, startDashboard } from '../support/dashboard.ts';
import { replicaOf } from '../support/replica.ts';
import { answered } from '../support/settings-app.ts';

const PATH = '/api/dashboard/views';
const view = (id: string, over = {}) => ({ id, resource: 'identities', name: `View ${id}`, search: 'q=ada', ...over });
const viewsOf = (...views: unknown[]) => ({ views });

describe('the views of an operator', () => {
  let dashboard: Dashboard;
  let admin: string;
  let viewer: string;

  before(async () => {
    dashboard = await startDashboard();
    admin = await dashboard.signIn('admin');
    viewer = await dashboard.signIn('viewer');
  });
  after(() => dashboard.close());
  beforeEach(async () => {
    for (const session of [admin, viewer]) assert.equal((await put(session, viewsOf())).status, 200);
  });

  const get = (session = admin): Promise<Response> => dashboard.call(PATH, { session });
  const put = (session: string, json: unknown, headers: Record<string, string> = {}): Promise<Response> =>
    dashboard.call(PATH, { session, method: 'PUT', json, headers });
  const raw = (body: string): Promise<Response> =>
    dashboard.call(PATH, { session: admin, method: 'PUT', body, headers: { 'content-type': 'application/json' } });
  const tagOf = async (answer: Response | Promise<Response>): Promise<string> =>
    (await answer).headers.get('etag') ?? assert.fail('no ETag');

  it('are answered with a tag, which the answer to a save carries too', async () => {
    const none = await get();
    assert.deepEqual(await none.clone().json(), viewsOf());
    const saved = await put(admin, viewsOf(view('a'), view('b', { resource: 'audit' })));
    assert.deepEqual(await saved.json(), viewsOf(view('a'), view('b', { resource: 'audit' })));
    const read = await get();
    assert.deepEqual(await read.json(), viewsOf(view('a'), view('b', { resource: 'audit' })));
    assert.equal(await tagOf(saved), await tagOf(read));
    assert.notEqual(await tagOf(saved), await tagOf(none));
    assert.equal(await tagOf(dashboard.call(PATH, { session: admin, method: 'HEAD' })), await tagOf(saved));
  });

  it('are saved on the condition that nobody else has saved since, and without one over whatever is there', async () => {
    const seen = await tagOf(get());
    assert.equal((await put(admin, viewsOf(view('first')), { 'if-match': seen })).status, 200);
    await answered(await put(admin, viewsOf(view('second')), { 'if-match': seen }), 412, 'precondition_failed');
    assert.deepEqual(await (await get()).json(), viewsOf(view('first')));
    assert.equal((await put(admin, viewsOf(view('second')))).status, 200);
    assert.deepEqual(await (await get()).json(), viewsOf(view('second')));
  });

  it('are a viewer’s own too, and out of reach of another operator, whatever a request names', async () => {
    assert.equal((await put(viewer, viewsOf(view('of-the-viewer')))).status, 200);
    assert.deepEqual(await (await get(viewer)).json(), viewsOf(view('of-the-viewer')));
    const session = await dashboard.call('/api/auth/session', { session: viewer });
    const { user } = (await session.json()) as { user: { identityId: string } };
    for (const path of [PATH, `${PATH}/${user.identityId}`, `${PATH}?identity_id=${user.identityId}`]) {
      const answer = await dashboard.call(path, { session: admin, headers: { 'x-user-id': user.identityId } });
      assert.doesNotMatch(await answer.text(), /of-the-viewer/);
    }
    await put(admin, viewsOf(view('of-the-admin')));
    assert.deepEqual(await (await get(viewer)).json(), viewsOf(view('of-the-viewer')));
  });

  it('are nobody’s without a session', async () => {
    await answered(await dashboard.call(PATH), 401, 'not_authenticated');
    await answered(await dashboard.call(PATH, { method: 'PUT', json: viewsOf() }), 401, 'not_authenticated');
    await answered(await dashboard.call(PATH, { session: admin, method: 'DELETE' }), 405, 'method_not_allowed');
  });

  it('keep every text as it is', async () => {
    const views = viewsOf(
      view('a', { name: '<img src=x onerror=alert(1)>' }),
      view('b', { name: '\u202eשלום‏ 数学 🔑' }),
      view('c', { name: '"\\";drop table dashboard_views --' }),
      view('constructor', { search: '__proto__=1&q=%00%22%3Cscript%3E' }),
    );
    assert.equal((await put(admin, views)).status, 200);
    assert.deepEqual(await (await get()).json(), views);
  });

  const many = (count: number) => viewsOf(...Array.from({ length: count }, (_, index) => view(`v${index}`)));
  it(`are at most ${VIEWS_MAX}`, async () => {
    assert.equal((await put(admin, many(VIEWS_MAX))).status, 200);
    await answered(await put(admin, many(VIEWS_MAX + 1)), 400, 'bad_request');
    assert.deepEqual(await (await get()).json(), many(VIEWS_MAX));
  });

  for (const [title, body] of [
    ['no JSON', '{"views":['],
    ['a name with NUL', JSON.stringify(viewsOf(view('a', { name: 'a\u0000b' })))],
    ['a search with a line break', JSON.stringify(viewsOf(view('a', { search: 'q=a\r\nb' })))],
    ['a prototype for its envelope', '{"__proto__":{"views":[]}}'],
    ['a prototype for a view', '{"views":[{"__proto__":{"id":"a","resource":"audit","name":"A","search":""}}]}'],
    ['an id twice', JSON.stringify(viewsOf(view('a'), view('a')))],
  ] as const)
    it(`are 400 with ${title}, and what was stored stays`, async () => {
      await put(admin, viewsOf(view('kept')));
      await answered(await raw(body), 400, 'bad_request');
      assert.deepEqual(await (await get()).json(), viewsOf(view('kept')));
    });

  it('are validated before their condition', async () => {
    await answered(await put(admin, viewsOf(view('A')), { 'if-match': '"old"' }), 400, 'bad_request');
  });

  it('are the same on another replica and after a restart, with their tag', async () => {
    const tag = await tagOf(put(admin, viewsOf(view('a'))));
    const replica = await replicaOf(dashboard);
    try {
      const there = await replica.call(PATH, { session: admin });
      assert.deepEqual(await there.json(), viewsOf(view('a')));
      assert.equal(await tagOf(there), tag);
    } finally {
      await replica.close();
    }
    await dashboard.restart();
    assert.equal(await tagOf(get()), tag);
  });
});
