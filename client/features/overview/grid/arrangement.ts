import { type DashboardLayout, WIDGETS_MAX, type WidgetPlacement } from '../../../../shared/dashboard.ts';
import { fitted, freePlace, packed, type Size } from './placement.ts';

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
