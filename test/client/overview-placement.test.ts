import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  type Direction,
  fitted,
  inReadingOrder,
  packed,
  placedAt,
  stepped,
} from '../../client/features/overview/arrangement.ts';
import { GRID_COLUMNS, type WidgetPlacement } from '../../shared/dashboard.ts';
import { drawn } from '../support/drawn.ts';

const at = (id: string, x: number, y: number, w = 3, h = 2): WidgetPlacement => ({ id, x, y, w, h });
const LEAST = { w: 2, h: 2 };
const DIRECTIONS: Direction[] = ['left', 'right', 'up', 'down'];
/** As a picture: one line for each row, one letter for each cell. */
function picture(placements: readonly WidgetPlacement[] | undefined): string[] {
  const rows: string[][] = [];
  for (const { id, x, y, w, h } of placements ?? [])
    for (let row = y; row < y + h; row += 1)
      for (let column = x; column < x + w; column += 1) {
        rows[row] ??= Array<string>(GRID_COLUMNS).fill('.');
        const cells = rows[row] ?? [];
        assert.equal(cells[column], '.', `${id} stands on ${cells[column]}`);
        cells[column] = id;
      }
  return rows.map((cells) => cells.join(''));
}

/** Arbitrary widgets, including overlapping ones. */
const anyLayout = fc
  .array(
    fc.record({ x: fc.nat(20), y: fc.nat(30), w: fc.integer({ min: 1, max: 12 }), h: fc.integer({ min: 1, max: 8 }) }),
    { minLength: 1, maxLength: 20 },
  )
  .map((list) => list.map((place, index) => fitted({ ...place, id: String.fromCharCode(97 + index) }, LEAST)));
const ids = (placements: readonly WidgetPlacement[]): string[] => placements.map(({ id }) => id).sort();

describe('packing widgets', () => {
  it('never lets two overlap, loses none, leaves the grid at no side and changes nothing twice', () => {
    fc.assert(
      fc.property(anyLayout, (layout) => {
        const once = packed(layout);
        picture(once);
        assert.deepEqual(ids(once), ids(layout));
        assert.ok(once.every(({ x, y, w }) => x >= 0 && y >= 0 && x + w <= GRID_COLUMNS));
        assert.deepEqual(packed(once), inReadingOrder(once));
      }),
      drawn(),
    );
  });
});

describe('a step of a widget', () => {
  it('never lets two overlap and never loses one, whichever is taken', () => {
    fc.assert(
      fc.property(
        anyLayout,
        fc.nat(19),
        fc.constantFrom(...DIRECTIONS),
        fc.constantFrom<'move' | 'resize'>('move', 'resize'),
        (layout, which, direction, act) => {
          const before = packed(layout);
          const { id } = before[which % before.length] ?? assert.fail();
          const after = stepped(before, id, { act, direction }, LEAST);
          if (after === undefined) return;
          picture(after);
          assert.deepEqual(ids(after), ids(before));
          assert.notDeepEqual(inReadingOrder(after), inReadingOrder(before), 'a step that is taken changes something');
        },
      ),
    );
  });
});

describe('a widget dropped by a pointer', () => {
  it('takes the place it is dropped at, and what it has passed stays above it', () => {
    const layout = packed([at('a', 0, 0, 12), at('b', 0, 2, 6), at('c', 6, 2, 6)]);
    assert.deepEqual(picture(placedAt(layout, at('c', 0, 0, 6))), [
      'cccccc......',
      'cccccc......',
      'aaaaaaaaaaaa',
      'aaaaaaaaaaaa',
      'bbbbbb......',
      'bbbbbb......',
    ]);
    assert.deepEqual(picture(placedAt(layout, at('a', 0, 3, 12))), [
      'bbbbbbcccccc',
      'bbbbbbcccccc',
      'aaaaaaaaaaaa',
      'aaaaaaaaaaaa',
    ]);
  });
});
