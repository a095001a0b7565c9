import {
  type DashboardLayout,
  GRID_COLUMNS,
  GRID_ROWS_MAX,
  WIDGETS_MAX,
  type WidgetPlacement,
} from '../../../shared/dashboard.ts';

export type StoredLayout = DashboardLayout['layout'];

export interface Size {
  w: number;
  h: number;
}

export interface GridWidget {
  id: string;
  title: string;
  size: Size;
  min: Size;
  /** Appears only after the operator adds it; other widgets appear until they are removed. */
  onDemand?: boolean;
}

/** A layout as this operator sees it in this version of the app. */
export interface Arrangement {
  placements: WidgetPlacement[];
  hidden: string[];
  /** The parts of the stored layout whose widgets this version or role does not offer. */
  foreign: { widgets: WidgetPlacement[]; hidden: string[] };
}

/**
 * @param stored null if the operator has never arranged the overview
 * @param offered every widget that this operator may see; those neither stored nor `onDemand` go where there is room
 */
export function arrangementOf(stored: StoredLayout, offered: readonly GridWidget[]): Arrangement {
  const { widgets, hidden }: NonNullable<StoredLayout> = stored ?? { widgets: [], hidden: [] };
  const offeredById = new Map(offered.map((widget) => [widget.id, widget]));
  const placed = new Set(widgets.map(({ id }) => id));
  const placements = packed(
    widgets.flatMap((placement) => {
      const widget = offeredById.get(placement.id);
      return widget === undefined ? [] : [fitted(placement, widget.min)];
    }),
  );
  for (const widget of offered)
    if (!widget.onDemand && !placed.has(widget.id) && !hidden.includes(widget.id))
      placements.push(freePlacement(placements, widget));
  return {
    placements,
    hidden: hidden.filter((id) => offeredById.has(id) && !placed.has(id)),
    foreign: {
      widgets: widgets.filter(({ id }) => !offeredById.has(id)),
      hidden: hidden.filter((id) => !offeredById.has(id)),
    },
  };
}

/** The layout for the server, which accepts at most 64 placed and 64 hidden widgets. */
export const storedLayout = ({ placements, hidden, foreign }: Arrangement): NonNullable<StoredLayout> => ({
  widgets: [...placements, ...foreign.widgets].slice(0, WIDGETS_MAX),
  hidden: [...hidden, ...foreign.hidden].slice(0, WIDGETS_MAX),
});

export const without = (arrangement: Arrangement, { id, onDemand }: GridWidget): Arrangement => ({
  ...arrangement,
  placements: packed(arrangement.placements.filter((widget) => widget.id !== id)),
  hidden: onDemand ? arrangement.hidden : [...arrangement.hidden, id],
});

/** Adds the widget where there is room. */
export const withAdded = (arrangement: Arrangement, widget: GridWidget): Arrangement => ({
  ...arrangement,
  placements: [...arrangement.placements, freePlacement(arrangement.placements, widget)],
  hidden: arrangement.hidden.filter((id) => id !== widget.id),
});

export const addable = <Widget extends GridWidget>({ placements }: Arrangement, offered: readonly Widget[]): Widget[] =>
  offered.filter(({ id }) => !placements.some((placement) => placement.id === id));

export const isFull = ({ placements, foreign }: Arrangement): boolean =>
  placements.length + foreign.widgets.length >= WIDGETS_MAX;

/** Sorts placements from top to bottom, and left to right within a row. */
export const inReadingOrder = (placements: readonly WidgetPlacement[]): WidgetPlacement[] =>
  [...placements].sort((a, b) => a.y - b.y || a.x - b.x);

/** Moves every widget up until it meets another one or the top, so that there are no overlaps or empty rows. */
export const packed = (placements: readonly WidgetPlacement[]): WidgetPlacement[] =>
  stacked(inReadingOrder(placements));

/**
 * Packs the widgets after moving one of them. Widgets in its way move down, except those that it has passed: the middle
 * of those is above its top.
 * @param one the new placement; the previous one is ignored
 */
export function placedAt(placements: readonly WidgetPlacement[], one: WidgetPlacement): WidgetPlacement[] {
  const others = inReadingOrder(placements.filter(({ id }) => id !== one.id));
  const isPassed = ({ y, h }: WidgetPlacement): boolean => y + h / 2 <= one.y;
  return stacked([...others.filter(isPassed), one, ...others.filter((other) => !isPassed(other))]);
}

/** Places the widgets in sequence, each as far up as the earlier ones allow. */
function stacked(sequence: readonly WidgetPlacement[]): WidgetPlacement[] {
  const heights = Array<number>(GRID_COLUMNS).fill(0);
  return sequence.map((widget) => {
    const y = Math.max(...heights.slice(widget.x, widget.x + widget.w));
    heights.fill(y + widget.h, widget.x, widget.x + widget.w);
    return { ...widget, y };
  });
}

/** The first free area in reading order that fits the widget. */
function freePlacement(placements: readonly WidgetPlacement[], { id, size }: GridWidget): WidgetPlacement {
  for (let y = 0; ; y += 1)
    for (let x = 0; x + size.w <= GRID_COLUMNS; x += 1) {
      const placement = { id, x, y, ...size };
      if (!placements.some((other) => overlap(other, placement))) return placement;
    }
}

const overlap = (a: WidgetPlacement, b: WidgetPlacement): boolean =>
  a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;

const bottomOf = (placements: readonly WidgetPlacement[]): number =>
  placements.reduce((bottom, { y, h }) => Math.max(bottom, y + h), 0);

/** 24 rows are about two screens. */
const HEIGHT_MAX = 24;

/** Clamps a placement to the grid and to the widget's minimum size. */
export function fitted(placement: WidgetPlacement, min: Size): WidgetPlacement {
  const w = clamp(placement.w, min.w, GRID_COLUMNS);
  const h = clamp(placement.h, min.h, HEIGHT_MAX);
  return {
    ...placement,
    w,
    h,
    x: clamp(placement.x, 0, GRID_COLUMNS - w),
    y: clamp(placement.y, 0, GRID_ROWS_MAX - h),
  };
}

const clamp = (value: number, least: number, most: number): number => Math.min(Math.max(value, least), most);

export type Direction = 'left' | 'right' | 'up' | 'down';

/** The effect of one key or button on a widget. */
export interface Step {
  act: 'move' | 'resize';
  direction: Direction;
}

/** All placements after the step; undefined if the step is impossible. */
export function stepped(
  placements: readonly WidgetPlacement[],
  id: string,
  { act, direction }: Step,
  min: Size,
): WidgetPlacement[] | undefined {
  const one = placements.find((widget) => widget.id === id);
  if (one === undefined) return undefined;
  const x = direction === 'left' ? -1 : direction === 'right' ? 1 : 0;
  const y = direction === 'up' ? -1 : direction === 'down' ? 1 : 0;
  if (act === 'resize') {
    // At the right edge, the widget grows to the left.
    const next = fitted({ ...one, w: one.w + x, h: one.h + y }, min);
    return next.w === one.w && next.h === one.h ? undefined : placedAt(placements, next);
  }
  if (x !== 0) {
    const isInside = one.x + x >= 0 && one.x + x + one.w <= GRID_COLUMNS;
    return isInside ? placedAt(placements, { ...one, x: one.x + x }) : undefined;
  }
  // Packing can undo a move by one row, so try further rows until the widget has passed the next one.
  const bottom = bottomOf(placements);
  for (let row = one.y + y; row >= 0 && row <= bottom; row += y) {
    const next = placedAt(placements, { ...one, y: row });
    const after = next.find((widget) => widget.id === id);
    if (after !== undefined && y * (after.y - one.y) > 0) return next;
  }
  return undefined;
}

/**
 * Moves a widget before the previous or after the next one in reading order, on screens with fewer than twelve columns.
 * If no move in twelve columns gives that order, moves the widget as far as necessary.
 */
export function reordered(
  placements: readonly WidgetPlacement[],
  id: string,
  direction: 'up' | 'down',
): WidgetPlacement[] | undefined {
  const indexIn = (layout: readonly WidgetPlacement[]): number =>
    inReadingOrder(layout).findIndex((widget) => widget.id === id);
  const one = placements.find((widget) => widget.id === id);
  if (one === undefined) return undefined;
  const passedIn = (layout: readonly WidgetPlacement[]): number =>
    (indexIn(layout) - indexIn(placements)) * (direction === 'up' ? -1 : 1);
  const rows = [...Array(bottomOf(placements) + 1).keys()];
  // Its own column comes first, and wins if another move is equally short.
  return [one.x, ...Array(GRID_COLUMNS - one.w + 1).keys()]
    .flatMap((x) => rows.map((y) => placedAt(placements, { ...one, x, y })))
    .filter((layout) => passedIn(layout) > 0)
    .sort((a, b) => passedIn(a) - passedIn(b))[0];
}

export const columnsOf = (grid: HTMLElement): number => getComputedStyle(grid).gridTemplateColumns.split(' ').length;
