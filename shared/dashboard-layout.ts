/** A widget's position on the 12-column grid of the overview, in grid units. */
export interface WidgetPlacement {
  id: string;
  x: number;
  y: number;
  w: number;
  h: number;
}

/** `GET` and `PUT /api/dashboard/layout`: null until the operator has customised it. */
export interface DashboardLayout {
  layout: null | { widgets: WidgetPlacement[]; hidden: string[] };
}

export const GRID_COLUMNS = 12;
export const GRID_ROWS_MAX = 1000;
export const WIDGETS_MAX = 64;
export const WIDGET_ID_MAX_CHARACTERS = 64;
