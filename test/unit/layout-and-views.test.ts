import assert from 'node:assert/strict';
import { parseLayout, parseViews } from '../../server/features/own-documents.ts';

const UNPOLLUTED = JSON.parse('{"__proto__":{"polluted":true}}') as object;

describe('the body of a dashboard layout', () => {
  const WIDGET = { id: 'health', x: 8, y: 998, w: 4, h: 2 };
  const layoutOf = (...widgets: unknown[]) => ({ layout: { widgets, hidden: [] } });
  const hiding = (...hidden: unknown[]) => ({ layout: { widgets: [], hidden } });
  const ids = (length: number): string[] => Array.from({ length }, (_, index) => `w${index}`);

  it('may be a layout within the grid with unknown ids and overlapping widgets, or null', () => {
    const widgets = [WIDGET, { ...WIDGET, id: 'geo', x: 0, y: 0, w: 12 }, { ...WIDGET, id: 'above' }];
    for (const layout of [
      { layout: { widgets, hidden: ['geo', 'of-a-later-release', '__proto__', 'constructor'] } },
      { layout: { widgets: ids(64).map((id) => ({ ...WIDGET, id })), hidden: ids(64) } },
      { layout: null },
    ])
      assert.deepEqual(parseLayout(layout), layout);
  });

  const REFUSED: [body: unknown, message: RegExp][] = [
    [undefined, /^The request body/],
    [{ widgets: [], hidden: [] }, /^"widgets" is not a known field/],
    [UNPOLLUTED, /^"__proto__" is not/],
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
  for (const [body, message] of REFUSED)
    it(`is refused: ${message.source}`, () => {
      assert.throws(() => parseLayout(body), { code: 'bad_request', message });
    });
});

describe('the body of saved views', () => {
  const VIEW = { id: 'mine', resource: 'identities', name: 'Mine', search: 'q=ada' };
  const viewsOf = (...views: unknown[]) => ({ views });
  const withSearch = (search: unknown) => viewsOf({ ...VIEW, search });
  const many = (count: number) => Array.from({ length: count }, (_, index) => ({ ...VIEW, id: `v-${index}` }));

  const REFUSED: [body: unknown, message: RegExp][] = [
    [[], /^The request body/],
    [UNPOLLUTED, /^"__proto__" is not/],
    [{ views: [], layout: null }, /^"layout" is not a known field/],
    [viewsOf(...many(51)), /^views must have at most 50/],
    [viewsOf(VIEW, { ...VIEW, name: 'Other' }), /^views must not use an id twice/],
    [viewsOf({ ...VIEW, id: undefined }), /^views\[0\]\.id is required/],
    [viewsOf({ ...VIEW, id: 'mine\n' }), /\.id must have 1 to 64/],
    [viewsOf({ ...VIEW, resource: 'constructor' }), /\.resource must be one of identities, sessions/],
    [viewsOf({ ...VIEW, name: '🔑'.repeat(61) }), /\.name must have 1 to 60/],
    [viewsOf({ ...VIEW, name: ' ' }), /\.name must not begin or end with a space/],
    [viewsOf({ ...VIEW, name: 'a\u0085b' }), /\.name must not contain control/],
    [viewsOf({ ...VIEW, name: '\ud83d' }), /\.name must be well-formed/],
    [withSearch('q=a<'), /\.search must be the query of an address/],
    [withSearch('x'.repeat(2_001)), /\.search must have at most 2000/],
  ];
  for (const [body, message] of REFUSED)
    it(`is refused: ${message.source}`, () => {
      assert.throws(() => parseViews(body), { code: 'bad_request', message });
    });
});
