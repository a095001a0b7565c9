import { GRID_COLUMNS, type WidgetPlacement } from '../../../../shared/dashboard.ts';
import { bottomOf, fitted, inReadingOrder, placedAt, type Size } from './placement.ts';

export type Direction = 'left' | 'right' | 'up' | 'down';
/** The effect of one key or button on a widget. */
export type Step = { act: 'move'; direction: Direction } | { act: 'resize'; direction: Direction };

/** All widgets after the step, or undefined when there is no room for it. */
export function stepped(
  placements: readonly WidgetPlacement[],
  id: string,
  { act, direction }: Step,
  least: Size,
): WidgetPlacement[] | undefined {
  const one = placements.find((widget) => widget.id === id);
  if (one === undefined) return undefined;
  return act === 'resize' ? resized(placements, one, direction, least) : moved(placements, one, direction);
}

function moved(
  placements: readonly WidgetPlacement[],
  one: WidgetPlacement,
  direction: Direction,
): WidgetPlacement[] | undefined {
  if (direction === 'left' || direction === 'right') {
    const x = one.x + (direction === 'left' ? -1 : 1);
    return x < 0 || x + one.w > GRID_COLUMNS ? undefined : placedAt(placements, { ...one, x });
  }
  // One row may not be enough, since packing can move the widget back: go on until it has passed the next widget.
  const step = direction === 'up' ? -1 : 1;
  const end = direction === 'up' ? 0 : bottomOf(placements);
  for (let y = one.y + step; step * (end - y) >= 0; y += step) {
    const next = placedAt(placements, { ...one, y });
    const found = next.find(({ id }) => id === one.id);
    if (found !== undefined && step * (found.y - one.y) > 0) return next;
  }
  return undefined;
}

/** Right and down enlarge it; at the right edge it grows to the left. */
function resized(
  placements: readonly WidgetPlacement[],
  one: WidgetPlacement,
  direction: Direction,
  least: Size,
): WidgetPlacement[] | undefined {
  const wider = direction === 'right' ? 1 : direction === 'left' ? -1 : 0;
  const taller = direction === 'down' ? 1 : direction === 'up' ? -1 : 0;
  const next = fitted({ ...one, w: one.w + wider, h: one.h + taller }, least);
  return next.w === one.w && next.h === one.h ? undefined : placedAt(placements, next);
}

/**
 * Moves a widget before the previous or after the next one in reading order, for narrow screens with a single column.
 * If twelve columns allow no such order, it goes as far as necessary.
 */
export function reordered(
  placements: readonly WidgetPlacement[],
  id: string,
  direction: 'up' | 'down',
): WidgetPlacement[] | undefined {
  const order = inReadingOrder(placements);
  const index = order.findIndex((widget) => widget.id === id);
  const one = order[index];
  const neighbour = order[index + (direction === 'up' ? -1 : 1)];
  if (one === undefined || neighbour === undefined) return undefined;
  const [upper, lower] = direction === 'up' ? [neighbour, one] : [one, neighbour];
  const ways = [
    { ...lower, y: upper.y },
    { ...lower, x: Math.min(upper.x, GRID_COLUMNS - lower.w), y: upper.y },
    { ...upper, y: lower.y + lower.h },
    { ...upper, x: Math.min(lower.x, GRID_COLUMNS - upper.w), y: lower.y + lower.h },
  ].map((place) => placedAt(placements, place));
  const passed = (way: readonly WidgetPlacement[]): number => {
    const found = inReadingOrder(way).findIndex((widget) => widget.id === id);
    return direction === 'up' ? index - found : found - index;
  };
  const next = ways.find((way) => passed(way) === 1);
  if (next !== undefined) return next;
  // First at the top and last below the bottom, so that some place always gets it further.
  const [nearest] = [...ways, ...everyPlace(placements, one)]
    .filter((way) => passed(way) > 0)
    .sort((a, b) => passed(a) - passed(b));
  return nearest;
}

/** The layouts with one widget at every column of every row. */
function everyPlace(placements: readonly WidgetPlacement[], one: WidgetPlacement): WidgetPlacement[][] {
  const layouts: WidgetPlacement[][] = [];
  for (let y = 0; y <= bottomOf(placements); y += 1)
    for (let x = 0; x + one.w <= GRID_COLUMNS; x += 1) layouts.push(placedAt(placements, { ...one, x, y }));
  return layouts;
}
