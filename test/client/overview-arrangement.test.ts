import assert from 'node:assert/strict';
import {
  addable,
  arrangementOf,
  type GridWidget,
  storedLayout,
  withAdded,
  without,
} from '../../client/features/overview/arrangement.ts';
import { offeredTo, STANDARD_LAYOUT, standardFor, VIEWER_LAYOUT } from '../../client/features/overview/widgets.tsx';
import { GRID_COLUMNS, type WidgetPlacement } from '../../shared/dashboard.ts';

const at = (id: string, x: number, y: number, w = 3, h = 2): WidgetPlacement => ({ id, x, y, w, h });
const widget = (id: string): GridWidget => ({ id, title: id, size: { w: 4, h: 3 }, min: { w: 2, h: 2 } });
const OFFERED = ['a', 'b', 'c'].map(widget);
const STANDARD = [at('a', 0, 0), at('b', 3, 0), at('c', 6, 0)];
const shownIds = (layout: ReturnType<typeof arrangementOf>): string[] => layout.placements.map(({ id }) => id);

describe('a stored layout', () => {
  it('shows a widget that is newer than it, where there is room', () => {
    const old = { widgets: [at('a', 0, 0, 4, 2)], hidden: ['b'] };
    const arrangement = arrangementOf(old, OFFERED, STANDARD);
    assert.deepEqual(arrangement.placements, [at('a', 0, 0, 4, 2), at('c', 4, 0, 4, 3)]);
    assert.deepEqual(arrangement.hidden, ['b']);
  });

  it('keeps what it says about widgets that nobody knows here, through every change', () => {
    const unknown = at('from-tomorrow', 1, 7, 5, 5);
    const stored = { widgets: [unknown, at('a', 0, 0)], hidden: ['gone', 'b', 'c'] };
    const arrangement = arrangementOf(stored, OFFERED, STANDARD);
    assert.deepEqual(shownIds(arrangement), ['a']);
    const changed = without(withAdded(arrangement, widget('c')), widget('a'));
    assert.deepEqual(storedLayout(changed), {
      widgets: [at('c', 3, 0, 4, 3), unknown],
      hidden: ['b', 'a', 'gone'],
    });
  });

  it('shows a widget on demand only where it was added, and forgets it when it is removed', () => {
    const onDemand = { ...widget('d'), onDemand: true };
    const offered = [...OFFERED, onDemand];
    const arrangement = arrangementOf(null, offered, STANDARD);
    assert.deepEqual(shownIds(arrangement), ['a', 'b', 'c']);
    assert.deepEqual(addable(arrangement, offered), [onDemand]);
    const added = arrangementOf(storedLayout(withAdded(arrangement, onDemand)), offered, STANDARD);
    assert.deepEqual(shownIds(added), ['a', 'b', 'c', 'd']);
    assert.deepEqual(storedLayout(without(added, onDemand)), { widgets: STANDARD, hidden: [] });
  });

  it('is made readable where it is not: too small, outside, on top of another', () => {
    const stored = { widgets: [at('a', 11, 0, 1, 1), at('b', 10, 0, 2, 1), at('c', 0, 900, 12, 90)], hidden: [] };
    const { placements } = arrangementOf(stored, OFFERED, STANDARD);
    assert.deepEqual(placements, [at('a', 10, 0, 2, 2), at('b', 10, 2, 2, 2), at('c', 0, 4, 12, 24)]);
  });
});

describe('the widgets there are', () => {
  for (const role of ['admin', 'viewer'] as const)
    it(`all stand in the standard layout of a role that may see them, without gaps: ${role}`, () => {
      const offered = offeredTo(role);
      const standard = standardFor(offered);
      assert.equal(standard, role === 'admin' ? STANDARD_LAYOUT : VIEWER_LAYOUT);
      assert.deepEqual(standard.map(({ id }) => id).sort(), offered.map(({ id }) => id).sort());
      const { placements } = arrangementOf(null, offered, standard);
      assert.deepEqual(placements, [...standard], 'the standard layout is packed and large enough');
      const cells = placements.reduce((sum, { w, h }) => sum + w * h, 0);
      const rows = Math.max(...placements.map(({ y, h }) => y + h));
      assert.equal(cells, rows * GRID_COLUMNS);
    });
});
