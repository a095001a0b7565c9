import { GRID_COLUMNS, GRID_ROWS_MAX, type WidgetPlacement } from '../../../../shared/dashboard.ts';

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
