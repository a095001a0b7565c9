import assert from 'node:assert/strict';
import { WIDGETS_MAX } from '../../shared/dashboard-layout.ts';
import { type Dashboard, startDashboard } from '../support/dashboard.ts';
import { replicaOf } from '../support/replica.ts';
import { answered } from '../support/settings-app.ts';

const PATH = '/api/dashboard/layout';
const widget = (id: string, place = {}) => ({ id, x: 0, y: 0, w: 4, h: 2, ...place });
const layoutOf = (...widgets: unknown[]) => ({ layout: { widgets, hidden: [] as string[] } });

describe('the layout of the overview', () => {
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
    for (const session of [admin, viewer]) assert.equal((await put(session, { layout: null })).status, 200);
  });

  const get = (session = admin): Promise<Response> => dashboard.call(PATH, { session });
  const put = (session: string, json: unknown, headers: Record<string, string> = {}): Promise<Response> =>
    dashboard.call(PATH, { session, method: 'PUT', json, headers });
  const raw = (body: string): Promise<Response> =>
    dashboard.call(PATH, { session: admin, method: 'PUT', body, headers: { 'content-type': 'application/json' } });
  const tagOf = async (answer: Response | Promise<Response>): Promise<string> =>
    (await answer).headers.get('etag') ?? assert.fail('no ETag');

  it('is answered with a tag, which the answer to a save carries too', async () => {
    const none = await tagOf(get());
    const saved = await put(admin, layoutOf(widget('map')));
    assert.deepEqual(await saved.json(), layoutOf(widget('map')));
    const read = await get();
    assert.deepEqual(await read.json(), layoutOf(widget('map')));
    assert.equal(await tagOf(saved), await tagOf(read));
    assert.notEqual(await tagOf(saved), none);
    assert.equal(await tagOf(dashboard.call(PATH, { session: admin, method: 'HEAD' })), await tagOf(saved));
  });

  it('is saved on the condition that nobody else has saved since', async () => {
    const seen = await tagOf(get());
    const first = await put(admin, layoutOf(widget('first')), { 'if-match': seen });
    assert.equal(first.status, 200);
    await answered(await put(admin, layoutOf(widget('second')), { 'if-match': seen }), 412, 'precondition_failed');
    assert.deepEqual(await (await get()).json(), layoutOf(widget('first')));
    const again = await put(admin, layoutOf(widget('second')), { 'if-match': await tagOf(first) });
    assert.equal(again.status, 200);
  });

  it('is saved without a condition over whatever is there', async () => {
    await put(admin, layoutOf(widget('first')));
    assert.equal((await put(admin, layoutOf(widget('second')))).status, 200);
    assert.deepEqual(await (await get()).json(), layoutOf(widget('second')));
  });

  const CONDITIONS: [title: string, header: (tag: string) => string, status: number][] = [
    ['any state', () => '*', 200],
    ['one of several tags', (tag) => `"other", ${tag}`, 200],
    ['another tag', () => '"other"', 412],
    ['the tag marked as weak', (tag) => `W/${tag}`, 412],
    ['the tag without its quotes', (tag) => tag.slice(1, -1), 412],
    ['the tag among rubbish', (tag) => `rubbish, ${tag}`, 412],
  ];
  for (const [title, header, status] of CONDITIONS)
    it(`is ${status} under the condition of ${title}`, async () => {
      const tag = await tagOf(get());
      assert.equal((await put(admin, layoutOf(widget('map')), { 'if-match': header(tag) })).status, status);
    });

  it('is validated before its condition: an invalid one is 400 even with a stale tag', async () => {
    await answered(await put(admin, layoutOf(widget('map', { x: -1 })), { 'if-match': '"old"' }), 400, 'bad_request');
  });

  const many = (count: number): unknown[] => Array.from({ length: count }, (_, index) => widget(`w${index}`));
  it('keeps 64 overlapping widgets and unknown ids', async () => {
    const layout = {
      layout: { widgets: many(WIDGETS_MAX), hidden: ['of-a-later-release', '__proto__', 'constructor'] },
    };
    assert.equal((await put(admin, layout)).status, 200);
    assert.deepEqual(await (await get()).json(), layout);
  });

  const REFUSED: [title: string, body: string][] = [
    ['65 widgets', JSON.stringify(layoutOf(...many(WIDGETS_MAX + 1)))],
    ['a widget outside the grid', JSON.stringify(layoutOf(widget('map', { x: 9 })))],
    ['a widget at a negative place', JSON.stringify(layoutOf(widget('map', { y: -1 })))],
    ['a widget at half a row', JSON.stringify(layoutOf(widget('map', { y: 0.5 })))],
    [
      'a widget of a size beyond numbers',
      '{"layout":{"widgets":[{"id":"map","x":0,"y":0,"w":1e999,"h":1}],"hidden":[]}}',
    ],
    ['an unknown member', JSON.stringify({ layout: { widgets: [], hidden: [], theme: 'dark' } })],
    ['an unknown member of a widget', JSON.stringify(layoutOf(widget('map', { z: 1 })))],
    ['a prototype for its envelope', '{"__proto__":{"layout":{"widgets":[],"hidden":[]}}}'],
    ['a prototype for itself', '{"layout":{"widgets":[],"hidden":[],"__proto__":{"polluted":true}}}'],
    [
      'a prototype for a widget',
      '{"layout":{"widgets":[{"id":"map","__proto__":{"x":0,"y":0,"w":1,"h":1}}],"hidden":[]}}',
    ],
    ['a constructor', '{"layout":{"widgets":[],"hidden":[],"constructor":{"prototype":{"polluted":true}}}}'],
  ];
  for (const [title, body] of REFUSED)
    it(`is 400 with ${title}, and what was stored stays`, async () => {
      await put(admin, layoutOf(widget('kept')));
      await answered(await raw(body), 400, 'bad_request');
      assert.equal(({} as Record<string, unknown>).polluted, undefined);
      assert.deepEqual(await (await get()).json(), layoutOf(widget('kept')));
    });

  it('is 413 as a megabyte of JSON', async () => {
    await answered(await raw(JSON.stringify(layoutOf(widget('x'.repeat(1_000_000))))), 413, 'payload_too_large');
  });

  it('of another operator is out of reach, whatever a request names', async () => {
    await put(viewer, layoutOf(widget('of-the-viewer')));
    const me = ((await (await dashboard.call('/api/auth/session', { session: viewer })).json()) as Session).user;
    for (const path of [
      `${PATH}/${me.identityId}`,
      `${PATH}?identity_id=${me.identityId}&identityId=${me.identityId}`,
    ]) {
      const answer = await dashboard.call(path, { session: admin, headers: { 'x-user-id': me.identityId } });
      assert.doesNotMatch(await answer.text(), /of-the-viewer/);
    }
    assert.deepEqual(await (await get(viewer)).json(), layoutOf(widget('of-the-viewer')));
  });

  it('is the same on another replica and after a restart, with its tag', async () => {
    const tag = await tagOf(put(admin, layoutOf(widget('map'))));
    const replica = await replicaOf(dashboard);
    try {
      const there = await replica.call(PATH, { session: admin });
      assert.deepEqual(await there.json(), layoutOf(widget('map')));
      assert.equal(await tagOf(there), tag);
      const changed = await replica.call(PATH, { session: admin, method: 'PUT', json: layoutOf(widget('clock')) });
      assert.equal(changed.status, 200);
      assert.equal((await put(admin, layoutOf(), { 'if-match': tag })).status, 412);
    } finally {
      await replica.close();
    }
    await dashboard.restart();
    assert.deepEqual(await (await get()).json(), layoutOf(widget('clock')));
  });
});

type Session = { user: { identityId: string } };
