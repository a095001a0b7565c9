import assert from 'node:assert/strict';
import { parseLayout } from '../../server/features/dashboard-layout/layout-input.ts';

const WIDGET = { id: 'health', x: 8, y: 998, w: 4, h: 2 };
const layoutOf = (...widgets: unknown[]) => ({ layout: { widgets, hidden: [] } });

describe('the body of a dashboard layout', () => {
  it('may be a layout within the grid, or null', () => {
    const layout = { layout: { widgets: [WIDGET, { ...WIDGET, id: 'geo', x: 0, y: 0, w: 12 }], hidden: ['geo', 'x'] } };
    assert.deepEqual(parseLayout(layout), layout);
    assert.deepEqual(parseLayout({ layout: null }), { layout: null });
  });

  const REFUSED: [string, unknown, RegExp][] = [
    ['nothing', undefined, /^The request body/],
    ['without its envelope', { widgets: [], hidden: [] }, /^"widgets" is not a known field/],
    ['an empty envelope', {}, /^layout is required/],
    ['a list', { layout: [] }, /^layout must be a JSON object/],
    ['without widgets', { layout: { hidden: [] } }, /^layout\.widgets must be a list/],
    ['without hidden', { layout: { widgets: [] } }, /^layout\.hidden must be a list/],
    ['with an unknown member', { layout: { widgets: [], hidden: [], theme: 1 } }, /^"theme" is not/],
    ['65 widgets', layoutOf(...Array.from({ length: 65 }, (_, i) => ({ ...WIDGET, id: `w${i}` }))), /at most 64/],
    [
      '65 hidden ones',
      { layout: { widgets: [], hidden: Array.from({ length: 65 }, (_, i) => `w${i}`) } },
      /at most 64/,
    ],
    ['a widget that is null', layoutOf(null), /^layout\.widgets\[0\] must be a JSON object/],
    ['a widget without id', layoutOf({ ...WIDGET, id: undefined }), /^layout\.widgets\[0\]\.id is required/],
    ['a widget with a long id', layoutOf({ ...WIDGET, id: 'x'.repeat(65) }), /\.id must have 1 to 64/],
    ['a widget left of the grid', layoutOf({ ...WIDGET, x: -1 }), /\.x must be a whole number from 0 to 8/],
    ['a widget that juts out on the right', layoutOf({ ...WIDGET, x: 9 }), /\.x must be a whole number from 0 to 8/],
    ['a widget that juts out below', layoutOf({ ...WIDGET, y: 999 }), /\.y must be a whole number from 0 to 998/],
    ['a widget without width', layoutOf({ ...WIDGET, w: 0 }), /\.w must be a whole number from 1 to 12/],
    ['a widget of 13 columns', layoutOf({ ...WIDGET, x: 0, w: 13 }), /\.w must be/],
    ['a widget of half a row', layoutOf({ ...WIDGET, h: 0.5 }), /\.h must be/],
    ['a widget with a place as text', layoutOf({ ...WIDGET, y: '0' }), /\.y must be/],
    ['a widget with more members', layoutOf({ ...WIDGET, z: 1 }), /^"z" is not/],
    ['a widget twice', layoutOf(WIDGET, WIDGET), /^layout\.widgets must not name a widget twice/],
    ['hidden twice', { layout: { widgets: [], hidden: ['a', 'a'] } }, /^layout\.hidden must not name/],
    ['hidden numbers', { layout: { widgets: [], hidden: [1] } }, /^layout\.hidden\[0\] must be a string/],
  ];
  for (const [title, body, message] of REFUSED)
    it(`may not be ${title}`, () => {
      assert.throws(() => parseLayout(body), { code: 'bad_request', message });
    });
});
