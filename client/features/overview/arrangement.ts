import {
  type DashboardLayout,
  GRID_COLUMNS,
  GRID_ROWS_MAX,
  WIDGETS_MAX,
  type WidgetPlacement,
} from '../../../shared/dashboard.ts';

export type StoredLayout = DashboardLayout['layout'];

/** What the grid knows about a widget. */
export interface GridWidget {
  id: string;
  title: string;
  /** Its initial size. */
  size: Size;
  least: Size;
  /** Shown only where the operator added it; others are shown until they are removed. */
  onDemand?: boolean;
}

/** A layout as this operator sees it in this version of the app. */
export interface Arrangement {
  shown: WidgetPlacement[];
  /** Removed widgets, which can be added again, as can those on demand. */
  hidden: string[];
  /** Parts of the stored layout for widgets that only another version or role offers. */
  kept: { widgets: WidgetPlacement[]; hidden: string[] };
}

/**
 * @param stored null if the operator never arranged anything
 * @param offered every widget that this operator may see; widgets missing from the stored layout are added to it
 * @param standard the default placements of the offered ones
 */
export function arrangementOf(
  stored: StoredLayout,
  offered: readonly GridWidget[],
  standard: readonly WidgetPlacement[],
): Arrangement {
  const { widgets, hidden }: NonNullable<StoredLayout> = stored ?? { widgets: [...standard], hidden: [] };
  const known = new Map(offered.map((widget) => [widget.id, widget]));
  const placed = new Set(widgets.map(({ id }) => id));
  const shown = packed(
    widgets.flatMap((placement) => {
      const widget = known.get(placement.id);
      return widget === undefined ? [] : [fitted(placement, widget.least)];
    }),
  );
  for (const { id, size, onDemand } of offered)
    if (!onDemand && !placed.has(id) && !hidden.includes(id)) shown.push({ id, ...freePlace(shown, size), ...size });
  return {
    shown,
    hidden: hidden.filter((id) => known.has(id) && !placed.has(id)),
    kept: {
      widgets: stored === null ? [] : widgets.filter(({ id }) => !known.has(id)),
      hidden: hidden.filter((id) => !known.has(id)),
    },
  };
}

/** As the server stores it, which accepts at most 64 of each. */
export const storedLayout = ({ shown, hidden, kept }: Arrangement): NonNullable<StoredLayout> => ({
  widgets: [...shown, ...kept.widgets].slice(0, WIDGETS_MAX),
  hidden: [...hidden, ...kept.hidden].slice(0, WIDGETS_MAX),
});

export const without = (arrangement: Arrangement, { id, onDemand }: GridWidget): Arrangement => ({
  ...arrangement,
  shown: packed(arrangement.shown.filter((widget) => widget.id !== id)),
  hidden: onDemand ? arrangement.hidden : [...arrangement.hidden, id],
});

/** The widgets that are not shown. */
export const addable = <Widget extends GridWidget>({ shown }: Arrangement, offered: readonly Widget[]): Widget[] =>
  offered.filter(({ id }) => !shown.some((placement) => placement.id === id));

/** Whether the server would not store one more. */
export const isFull = ({ shown, kept }: Arrangement): boolean => shown.length + kept.widgets.length >= WIDGETS_MAX;

export const withAdded = (arrangement: Arrangement, { id, size }: GridWidget): Arrangement => ({
  ...arrangement,
  shown: packed([...arrangement.shown, { id, ...freePlace(arrangement.shown, size), ...size }]),
  hidden: arrangement.hidden.filter((other) => other !== id),
});

export interface Size {
  w: number;
  h: number;
}

/** From top to bottom, and left to right within a row. */
export const inReadingOrder = (placements: readonly WidgetPlacement[]): WidgetPlacement[] =>
  [...placements].sort((a, b) => a.y - b.y || a.x - b.x);

/** Moves every widget up until it meets another or the top: no overlaps, no empty rows. */
export const packed = (placements: readonly WidgetPlacement[]): WidgetPlacement[] =>
  stacked(inReadingOrder(placements));

/**
 * Packs the widgets with one of them moved. Others in its way move down, except those that it has passed: whose middle
 * lies above its top.
 * @param one its new place; its previous one is ignored
 */
export function placedAt(placements: readonly WidgetPlacement[], one: WidgetPlacement): WidgetPlacement[] {
  const others = inReadingOrder(placements.filter(({ id }) => id !== one.id));
  const isPassed = ({ y, h }: WidgetPlacement): boolean => y + h / 2 <= one.y;
  return stacked([...others.filter(isPassed), one, ...others.filter((other) => !isPassed(other))]);
}

/** The first free place in reading order for a widget of this size. */
export function freePlace(placements: readonly WidgetPlacement[], { w, h }: Size): { x: number; y: number } {
  const bottom = bottomOf(placements);
  for (let y = 0; y < bottom; y += 1) {
    for (let x = 0; x + w <= GRID_COLUMNS; x += 1) {
      if (!placements.some((other) => overlap(other, { x, y, w, h }))) return { x, y };
    }
  }
  return { x: 0, y: bottom };
}

/** The first row below all widgets. */
export const bottomOf = (placements: readonly WidgetPlacement[]): number =>
  placements.reduce((bottom, { y, h }) => Math.max(bottom, y + h), 0);

/** Clamps a placement to the grid and to the widget's minimum size. */
export function fitted(placement: WidgetPlacement, least: Size): WidgetPlacement {
  const w = within(placement.w, least.w, GRID_COLUMNS);
  const h = within(placement.h, least.h, TALLEST);
  return {
    ...placement,
    w,
    h,
    x: within(placement.x, 0, GRID_COLUMNS - w),
    y: within(placement.y, 0, GRID_ROWS_MAX - h),
  };
}

/** Maximum height in rows: about two screens. */
export const TALLEST = 24;

const within = (value: number, least: number, most: number): number => Math.min(Math.max(value, least), most);

const overlap = (a: Omit<WidgetPlacement, 'id'>, b: Omit<WidgetPlacement, 'id'>): boolean =>
  a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;

/** Places the widgets in sequence, each as high as those before it allow. */
function stacked(sequence: readonly WidgetPlacement[]): WidgetPlacement[] {
  const heights = Array<number>(GRID_COLUMNS).fill(0);
  return sequence.map((widget) => {
    const columns = heights.slice(widget.x, widget.x + widget.w);
    const y = Math.max(...columns);
    heights.fill(y + widget.h, widget.x, widget.x + widget.w);
    return { ...widget, y };
  });
}

/** How many columns the grid has on this screen. */
export const columnsOf = (grid: HTMLElement): number => getComputedStyle(grid).gridTemplateColumns.split(' ').length;

/** Size of a cell in pixels, including the gap. */
export function cellOf(grid: HTMLElement): { width: number; height: number } {
  const { columnGap, rowGap, gridAutoRows } = getComputedStyle(grid);
  const gap = Number.parseFloat(columnGap) || 0;
  return {
    width: (grid.clientWidth + gap) / columnsOf(grid),
    height: Number.parseFloat(gridAutoRows) + (Number.parseFloat(rowGap) || 0),
  };
}

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
