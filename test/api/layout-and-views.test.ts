import assert from 'node:assert/strict';
import { parseLayout, parseViews } from '../../server/features/own-documents.ts';
import { startWithAdmin } from '../support/dashboard.ts';
import { sessionIn } from '../support/http-sign-in.ts';
import { ofSuite } from '../support/of-suite.ts';
import { assertError } from '../support/settings-app.ts';

interface Resource {
  path: string;
  empty: object;
  maxKib: number;
  /** @returns a document that contains this id */
  documentWith(id: string): object;
  invalid: object;
}

const RESOURCES: Record<string, Resource> = {
  'overview layout': {
    path: '/api/dashboard/layout',
    empty: { layout: null },
    maxKib: 64,
    documentWith: (id) => ({ layout: { widgets: [{ id, x: 0, y: 0, w: 4, h: 2 }], hidden: [] } }),
    invalid: { layout: { widgets: [{ id: 'map', x: -1, y: 0, w: 4, h: 2 }], hidden: [] } },
  },
  'list of saved views and favourites': {
    path: '/api/dashboard/views',
    empty: { views: [], favourites: [] },
    maxKib: 320,
    documentWith: (id) => ({
      views: [{ id, resource: 'identities', name: `<b>${id}</b> 🔑`, search: 'q=ada' }],
      favourites: [{ resource: 'client', id }],
    }),
    invalid: { views: [{ id: 'A' }] },
  },
};

describe('an operator’s', () => {
  const dashboard = ofSuite(startWithAdmin);
  let viewer: string;

  before(async () => {
    viewer = await dashboard.signIn('viewer');
  });

  for (const [title, { path, empty, maxKib, documentWith, invalid }] of Object.entries(RESOURCES))
    describe(title, () => {
      const get = async (session = dashboard.admin): Promise<unknown> =>
        (await dashboard.call(path, { session })).json();
      const put = (session: string, json: unknown, headers: Record<string, string> = {}): Promise<Response> =>
        dashboard.call(path, { session, method: 'PUT', json, headers });
      const tagOf = ({ headers }: Response): string => headers.get('etag') ?? assert.fail('no ETag');
      beforeEach(async () => {
        for (const session of [dashboard.admin, viewer]) assert.equal((await put(session, empty)).status, 200);
      });

      it('is overwritten by a PUT whose If-Match is current or missing, but not by one with an outdated If-Match', async () => {
        const initialTag = tagOf(await dashboard.call(path, { session: dashboard.admin }));
        const first = await put(dashboard.admin, documentWith('first'), { 'if-match': initialTag });
        assert.equal(first.status, 200);
        const stale = await put(dashboard.admin, documentWith('second'), { 'if-match': initialTag });
        await assertError(stale, 412, 'precondition_failed');
        assert.deepEqual(await get(), documentWith('first'));
        assert.equal((await put(dashboard.admin, documentWith('second'), { 'if-match': tagOf(first) })).status, 200);
        assert.equal((await put(dashboard.admin, documentWith('third'))).status, 200);
        assert.deepEqual(await get(), documentWith('third'));
      });

      it('is not changed by a PUT with an invalid body (400, not 412) or one that is too large (413)', async () => {
        await put(dashboard.admin, documentWith('stored'));
        await assertError(await put(dashboard.admin, invalid, { 'if-match': '"old"' }), 400, 'bad_request');
        for (const [kib, status] of [
          [maxKib - 1, 400],
          [maxKib, 413],
        ] as const)
          assert.equal((await put(dashboard.admin, { unknown: 'x'.repeat(kib * 1024) })).status, status);
        assert.deepEqual(await get(), documentWith('stored'));
      });

      it('cannot be read or overwritten by another operator, even with the id of its owner', async () => {
        await put(viewer, documentWith('of-the-viewer'));
        const { identityId: id } = sessionIn(viewer);
        for (const target of [path, `${path}/${id}`, `${path}?identity_id=${id}`]) {
          const response = await dashboard.call(target, { session: dashboard.admin, headers: { 'x-user-id': id } });
          assert.doesNotMatch(await response.text(), /of-the-viewer/);
        }
        await put(dashboard.admin, documentWith('of-the-admin'));
        assert.deepEqual(await get(viewer), documentWith('of-the-viewer'));
      });
    });

  it('favourites stay if a PUT of the views does not name any, and go if it names none', async () => {
    const { path, documentWith } = RESOURCES['list of saved views and favourites'] ?? assert.fail();
    const { views, favourites } = documentWith('first') as { views: object[]; favourites: object[] };
    const put = (json: object): Promise<Response> => dashboard.call(path, { method: 'PUT', json, session: viewer });
    const both = await put({ views, favourites });
    const without = await put({ views: [] });
    assert.deepEqual(await without.json(), { views: [], favourites });
    const none = await put({ views, favourites: [] });
    assert.deepEqual(await none.json(), { views, favourites: [] });
    assert.equal(new Set([both, without, none].map(({ headers }) => headers.get('etag'))).size, 3);
  });
});

describe('the validation of layouts and saved views', () => {
  type Refused = [body: unknown, message: RegExp];
  const POLLUTED = JSON.parse('{"__proto__":{"polluted":true}}') as object;
  const WIDGET = { id: 'health', x: 8, y: 998, w: 4, h: 2 };
  const layoutOf = (...widgets: unknown[]) => ({ layout: { widgets, hidden: [] } });
  const hiding = (...hidden: unknown[]) => ({ layout: { widgets: [], hidden } });
  const ids = (length: number): string[] => Array.from({ length }, (_, index) => `w${index}`);

  it('accepts a null layout, or one within the grid, even with unknown ids and overlapping widgets', () => {
    const widgets = [WIDGET, { ...WIDGET, id: 'geo', x: 0, y: 0, w: 12 }, { ...WIDGET, id: 'above' }];
    for (const layout of [
      { layout: { widgets, hidden: ['geo', 'of-a-later-release', '__proto__', 'constructor'] } },
      { layout: { widgets: ids(64).map((id) => ({ ...WIDGET, id })), hidden: ids(64) } },
      { layout: null },
    ])
      assert.deepEqual(parseLayout(layout), layout);
  });

  const REFUSED_LAYOUTS: Refused[] = [
    [undefined, /^The request body/],
    [{ widgets: [], hidden: [] }, /^"widgets" is not a known field/],
    [POLLUTED, /^"__proto__" is not/],
    [{}, /^layout is required/],
    [{ layout: [] }, /^layout must be a JSON object/],
    [{ layout: { hidden: [] } }, /^layout\.widgets must be a list/],
    [layoutOf(...ids(65).map((id) => ({ ...WIDGET, id }))), /at most 64/],
    [layoutOf({ ...WIDGET, id: 'x'.repeat(65) }), /\.id must have 1 to 64/],
    [layoutOf({ ...WIDGET, x: -1 }), /\.x must be a whole number from 0 to 8/],
    [layoutOf({ ...WIDGET, x: 9 }), /\.x must be a whole number from 0 to 8/],
    [layoutOf({ ...WIDGET, y: 999 }), /\.y must be a whole number from 0 to 998/],
    [layoutOf({ ...WIDGET, w: Number.POSITIVE_INFINITY }), /\.w must be a whole number from 1 to 12/],
    [layoutOf({ ...WIDGET, h: 0.5 }), /\.h must be/],
    [layoutOf(WIDGET, WIDGET), /^layout\.widgets must not name a widget twice/],
    [hiding('a', 'a'), /^layout\.hidden must not name/],
    [hiding(1), /^layout\.hidden\[0\] must be a string/],
  ];
  it('names the invalid member of a layout in the error message', () => {
    for (const [body, message] of REFUSED_LAYOUTS)
      assert.throws(() => parseLayout(body), { code: 'bad_request', message });
  });

  const VIEW = { id: 'mine', resource: 'identities', name: 'Mine', search: 'q=ada' };
  const viewsOf = (...views: unknown[]) => ({ views });
  const withSearch = (search: unknown) => viewsOf({ ...VIEW, search });
  const FAVOURITE = { resource: 'identity', id: 'aaaaaaaa-0000-4000-8000-000000000001' };
  const favourites = (...favourites: unknown[]) => ({ views: [], favourites });
  const REFUSED_VIEWS: Refused[] = [
    [[], /^The request body/],
    [POLLUTED, /^"__proto__" is not/],
    [{ views: [], layout: null }, /^"layout" is not a known field/],
    [viewsOf(...ids(51).map((id) => ({ ...VIEW, id }))), /^views must have at most 50/],
    [viewsOf(VIEW, { ...VIEW, name: 'Other' }), /^views must not use an id twice/],
    [viewsOf({ ...VIEW, id: undefined }), /^views\[0\]\.id is required/],
    [viewsOf({ ...VIEW, id: 'mine\n' }), /\.id must have 1 to 64/],
    [viewsOf({ ...VIEW, resource: 'constructor' }), /\.resource must be one of identities, sessions/],
    [viewsOf({ ...VIEW, name: '🔑'.repeat(61) }), /\.name must have 1 to 60/],
    [viewsOf({ ...VIEW, name: ' ' }), /\.name must not begin or end with a space/],
    [viewsOf({ ...VIEW, name: 'a\u0085b' }), /\.name must not contain control/],
    [viewsOf({ ...VIEW, name: '\ud83d' }), /\.name must be well-formed/],
    [favourites(...ids(51).map((id) => ({ resource: 'client', id }))), /^favourites must have at most 50/],
    [favourites(FAVOURITE, { ...FAVOURITE, id: FAVOURITE.id.toUpperCase() }), /^favourites must not name a record/],
    [favourites({ ...FAVOURITE, name: 'Ada' }), /^"name" is not a known field/],
    ...[
      { ...FAVOURITE, resource: 'audit' },
      { resource: 'session' },
      { resource: 'message', id: 'web' },
      ...['', 'a\u0085', '\ud83d', 'x'.repeat(256)].map((id) => ({ resource: 'client', id })),
    ].map((one): Refused => [favourites(FAVOURITE, one), /^favourites\[1\] must be a kind of records and an id/]),
    [withSearch('q=a<'), /\.search must be the query of an address/],
    [withSearch('x'.repeat(2_001)), /\.search must have at most 2000/],
  ];
  it('names the invalid member of a list of views in the error message', () => {
    for (const [body, message] of REFUSED_VIEWS)
      assert.throws(() => parseViews(body), { code: 'bad_request', message });
  });
});
