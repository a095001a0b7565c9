import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { TaggedLayout } from '../../client/api/overview.ts';
import { ConnectionError, RequestError } from '../../client/api/request.ts';
import {
  addable,
  arrangementOf,
  type Direction,
  fitted,
  type GridWidget,
  inReadingOrder,
  packed,
  placedAt,
  reordered,
  type StoredLayout,
  stepped,
  storedLayout,
  withAdded,
  without,
} from '../../client/features/overview/arrangement.ts';
import { layoutSaver, type SaveState } from '../../client/features/overview/layout.ts';
import { offeredTo } from '../../client/features/overview/widgets.tsx';
import { GRID_COLUMNS, type WidgetPlacement } from '../../shared/dashboard.ts';
import { seeded } from '../support/seeded.ts';

const at = (id: string, x: number, y: number, w = 3, h = 2): WidgetPlacement => ({ id, x, y, w, h });
const widget = (id: string): GridWidget => ({ id, title: id, size: { w: 4, h: 3 }, min: { w: 2, h: 2 } });
const OFFERED = ['a', 'b', 'c'].map(widget);
const idsIn = (layout: ReturnType<typeof arrangementOf>): string[] => layout.placements.map(({ id }) => id);

describe('a stored layout', () => {
  it('places a widget of a later release where there is room', () => {
    const old = { widgets: [at('a', 0, 0, 4, 2)], hidden: ['b'] };
    const arrangement = arrangementOf(old, OFFERED);
    assert.deepEqual(arrangement.placements, [at('a', 0, 0, 4, 2), at('c', 4, 0, 4, 3)]);
    assert.deepEqual(arrangement.hidden, ['b']);
  });

  it('preserves unknown widgets when other widgets are added or removed', () => {
    const unknown = at('of-a-later-release', 1, 7, 5, 5);
    const stored = { widgets: [unknown, at('a', 0, 0)], hidden: ['gone', 'b', 'c'] };
    const arrangement = arrangementOf(stored, OFFERED);
    assert.deepEqual(idsIn(arrangement), ['a']);
    const changed = without(withAdded(arrangement, widget('c')), widget('a'));
    assert.deepEqual(storedLayout(changed), {
      widgets: [at('c', 3, 0, 4, 3), unknown],
      hidden: ['b', 'a', 'gone'],
    });
  });

  it('shows an on-demand widget only once it is added, and does not list it as hidden once it is removed', () => {
    const onDemand = { ...widget('d'), onDemand: true };
    const offered = [...OFFERED, onDemand];
    const arrangement = arrangementOf(null, offered);
    assert.deepEqual(idsIn(arrangement), ['a', 'b', 'c']);
    assert.deepEqual(addable(arrangement, offered), [onDemand]);
    const added = arrangementOf(storedLayout(withAdded(arrangement, onDemand)), offered);
    assert.deepEqual(idsIn(added), ['a', 'b', 'c', 'd']);
    assert.deepEqual(storedLayout(without(added, onDemand)), storedLayout(arrangement));
  });

  it('is repaired if a widget is too small, outside the grid, or on top of another widget', () => {
    const stored = { widgets: [at('a', 11, 0, 1, 1), at('b', 10, 0, 2, 1), at('c', 0, 900, 12, 90)], hidden: [] };
    const { placements } = arrangementOf(stored, OFFERED);
    assert.deepEqual(placements, [at('a', 10, 0, 2, 2), at('b', 10, 2, 2, 2), at('c', 0, 4, 12, 24)]);
  });
});

describe('the available widgets', () => {
  for (const role of ['admin', 'viewer'] as const)
    it(`fill the default layout of the role ${role} without gaps`, () => {
      const offered = offeredTo(role);
      const { placements } = arrangementOf(null, offered);
      assert.deepEqual(placements.map(({ id }) => id).sort(), offered.map(({ id }) => id).sort());
      assert.deepEqual(packed(placements), inReadingOrder(placements));
      const cells = placements.reduce((sum, { w, h }) => sum + w * h, 0);
      const rows = Math.max(...placements.map(({ y, h }) => y + h));
      assert.equal(cells, rows * GRID_COLUMNS);
    });
});

const MIN = { w: 2, h: 2 };
const DIRECTIONS: Direction[] = ['left', 'right', 'up', 'down'];
/** The grid as text: one line for each row, one letter for each cell. */
function picture(placements: readonly WidgetPlacement[] | undefined): string[] {
  const rows: string[][] = [];
  for (const { id, x, y, w, h } of placements ?? [])
    for (let row = y; row < y + h; row += 1)
      for (let column = x; column < x + w; column += 1) {
        rows[row] ??= Array<string>(GRID_COLUMNS).fill('.');
        const cells = rows[row] ?? [];
        assert.equal(cells[column], '.', `${id} overlaps ${cells[column]}`);
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
  .map((list) => list.map((placement, index) => fitted({ ...placement, id: String.fromCharCode(97 + index) }, MIN)));
const ids = (placements: readonly WidgetPlacement[]): string[] => placements.map(({ id }) => id).sort();

describe('packing widgets', () => {
  it('leaves no overlaps, loses no widgets, stays within the grid, and changes nothing when it is repeated', () => {
    fc.assert(
      fc.property(anyLayout, (layout) => {
        const once = packed(layout);
        picture(once);
        assert.deepEqual(ids(once), ids(layout));
        assert.ok(once.every(({ x, y, w }) => x >= 0 && y >= 0 && x + w <= GRID_COLUMNS));
        assert.deepEqual(packed(once), inReadingOrder(once));
      }),
      seeded(),
    );
  });
});

describe('moving or resizing a widget by one step', () => {
  it('causes no overlaps, and loses no widgets', () => {
    fc.assert(
      fc.property(
        anyLayout,
        fc.nat(19),
        fc.constantFrom(...DIRECTIONS),
        fc.constantFrom<'move' | 'resize'>('move', 'resize'),
        (layout, which, direction, act) => {
          const before = packed(layout);
          const { id } = before[which % before.length] ?? assert.fail();
          const after = stepped(before, id, { act, direction }, MIN);
          if (after === undefined) return;
          picture(after);
          assert.deepEqual(ids(after), ids(before));
          assert.notDeepEqual(inReadingOrder(after), inReadingOrder(before), 'the step changed nothing');
        },
      ),
    );
  });

  it('passes a neighbour in reading order on a narrow screen, unless the widget is the first or last', () => {
    fc.assert(
      fc.property(anyLayout, fc.nat(19), fc.constantFrom<'up' | 'down'>('up', 'down'), (layout, which, direction) => {
        const before = inReadingOrder(packed(layout));
        const index = which % before.length;
        const { id } = before[index] ?? assert.fail();
        const after = reordered(before, id, direction);
        if (after === undefined) return assert.equal(index, direction === 'up' ? 0 : before.length - 1);
        picture(after);
        const moved = inReadingOrder(after).findIndex((widget) => widget.id === id) - index;
        assert.ok(direction === 'up' ? moved < 0 : moved > 0);
      }),
      seeded(),
    );
  });
});

describe('a widget dropped with a pointer', () => {
  it('is placed where it was dropped, below the widgets that it was dragged past', () => {
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

const layout = (...hidden: string[]): StoredLayout => ({ widgets: [], hidden });
const settled = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));

/** A service with one layout, which several tabs save. */
function service() {
  const tagOf = (version: number): TaggedLayout['tag'] => `"${version}"`;
  let stored: TaggedLayout = { layout: null, tag: tagOf(0) };
  let saves = 0;
  const puts: StoredLayout[] = [];
  /** Whether the response to the next PUT is lost. */
  let isLost = false;
  let unblocked: Promise<void> = Promise.resolve();
  const tab = () => {
    const states: SaveState[] = [];
    let isReplaced = false;
    const saver = layoutSaver(stored, {
      async put(layout, tag) {
        await unblocked;
        puts.push(layout);
        if (tag !== stored.tag) throw new RequestError({ status: 412, code: 'precondition_failed', message: '' });
        saves += 1;
        stored = { layout, tag: tagOf(saves) };
        if (isLost) {
          isLost = false;
          throw new ConnectionError(true, undefined);
        }
        return stored.tag;
      },
      find: async () => stored,
      onState: (state) => states.push(state),
      onStored: () => {},
      onReplaced: () => {
        isReplaced = true;
      },
    });
    return { saver, state: () => states.at(-1)?.kind, isReplaced: () => isReplaced };
  };
  return {
    tab,
    puts,
    stored: () => stored.layout,
    loseResponse: () => {
      isLost = true;
    },
    block() {
      const { promise, resolve } = Promise.withResolvers<void>();
      unblocked = promise;
      return resolve;
    },
  };
}

describe('saving a layout', () => {
  it('sends one request at a time, and skips the changes between the first and the latest', async () => {
    const { tab, puts, stored, block } = service();
    const { saver, state } = tab();
    const release = block();
    for (const id of ['a', 'b', 'c', 'd']) saver.save(layout(id));
    release();
    await settled();
    assert.deepEqual(puts, [layout('a'), layout('d')]);
    assert.deepEqual(stored(), layout('d'));
    assert.equal(state(), 'saved');
  });

  it('never overwrites a layout saved by another tab, says so, and saves the next change of that one', async () => {
    const { tab, stored } = service();
    const [first, second] = [tab(), tab()];
    for (const widget of ['before', 'first']) {
      first.saver.save(layout(widget));
      await settled();
    }
    second.saver.save(layout('second'));
    await settled();
    assert.deepEqual([first.isReplaced(), second.isReplaced(), second.state()], [false, true, 'saved']);
    assert.deepEqual(stored(), layout('first'));
    second.saver.save(layout('second again'));
    await settled();
    assert.deepEqual(stored(), layout('second again'));
  });

  it('succeeds on a retry if the layout was stored but the response was lost', async () => {
    const { tab, loseResponse, stored } = service();
    const { saver, state, isReplaced } = tab();
    loseResponse();
    saver.save(layout('a'));
    await settled();
    assert.equal(state(), 'failed');
    saver.retry();
    await settled();
    assert.deepEqual([state(), isReplaced()], ['saved', false]);
    saver.save(layout('b'));
    await settled();
    assert.deepEqual([state(), stored()], ['saved', layout('b')]);
  });
});
