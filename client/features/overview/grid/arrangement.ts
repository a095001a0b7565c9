import { type DashboardLayout, WIDGETS_MAX, type WidgetPlacement } from '../../../../shared/dashboard-layout.ts';
import { fitted, freePlace, packed, type Size } from './placement.ts';

export type StoredLayout = DashboardLayout['layout'];

/** What the grid knows of a widget. */
export interface GridWidget {
  id: string;
  title: string;
  /** When it is added. */
  size: Size;
  least: Size;
}

/** A layout as this operator sees it on this version of the app. */
export interface Arrangement {
  shown: WidgetPlacement[];
  /** Widgets that were taken away and can be added. */
  hidden: string[];
  /** What the stored layout says about widgets that are not offered here: another version or another role knows them. */
  kept: { widgets: WidgetPlacement[]; hidden: string[] };
}

/**
 * @param stored null for an operator who arranged nothing
 * @param offered every widget that this operator may see; one that the stored layout does not know is added to it
 * @param standard where the offered ones stand until they are arranged
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
  for (const { id, size } of offered)
    if (!placed.has(id) && !hidden.includes(id)) shown.push({ id, ...freePlace(shown, size), ...size });
  return {
    shown,
    hidden: hidden.filter((id) => known.has(id) && !placed.has(id)),
    kept: {
      widgets: stored === null ? [] : widgets.filter(({ id }) => !known.has(id)),
      hidden: hidden.filter((id) => !known.has(id)),
    },
  };
}

/** As the service stores it, which takes at most 64 of either. */
export const storedLayout = ({ shown, hidden, kept }: Arrangement): NonNullable<StoredLayout> => ({
  widgets: [...shown, ...kept.widgets].slice(0, WIDGETS_MAX),
  hidden: [...hidden, ...kept.hidden].slice(0, WIDGETS_MAX),
});

export const without = (arrangement: Arrangement, id: string): Arrangement => ({
  ...arrangement,
  shown: packed(arrangement.shown.filter((widget) => widget.id !== id)),
  hidden: [...arrangement.hidden, id],
});

export const withAdded = (arrangement: Arrangement, { id, size }: GridWidget): Arrangement => ({
  ...arrangement,
  shown: packed([...arrangement.shown, { id, ...freePlace(arrangement.shown, size), ...size }]),
  hidden: arrangement.hidden.filter((other) => other !== id),
});
