import type { SavedView } from '../../../../shared/dashboard.ts';
import { WIDGET_ID_MAX_CHARACTERS } from '../../../../shared/dashboard.ts';
import { visibleText } from '../../../format/visible-text.ts';
import { searchOf, viewsOf } from '../../../resource/views/views.ts';
import { IDENTITIES } from '../destinations.ts';
import type { WidgetFacts } from './widget.ts';

const PREFIX = 'view-';

/** Layouts store it: the prefix and the view's id. */
export type ViewWidgetId = `${typeof PREFIX}${string}`;

/** The widget of a view: how many identities match it. */
export interface ViewWidget extends WidgetFacts {
  id: ViewWidgetId;
}

export const isViewWidget = (id: string): id is ViewWidgetId => id.startsWith(PREFIX);

/** The view of identities that a widget is of; undefined if there is none. @param own the operator's views */
export const viewOf = (id: ViewWidgetId, own: readonly SavedView[]): SavedView | undefined =>
  viewsOf('identities', own).find((view) => PREFIX + view.id === id);

/**
 * Widgets of the views of identities, whose matches can be counted. One that stands in a layout stays there without its
 * view, so that it can say so and be removed.
 * @param own the operator's views; undefined while they are not known
 * @param placed the widgets in the operator's layout
 */
export function viewWidgets(own: readonly SavedView[] | undefined, placed: readonly string[]): ViewWidget[] {
  const widgets = viewsOf('identities', own ?? [])
    .filter(({ id }) => PREFIX.length + id.length <= WIDGET_ID_MAX_CHARACTERS)
    .map((view) => widget(`${PREFIX}${view.id}`, visibleText(view.name), searchOf(view)));
  const orphans = placed
    .filter(isViewWidget)
    .filter((id) => !widgets.some((known) => known.id === id))
    .map((id) => widget(id, own === undefined ? 'View' : 'Deleted view'));
  return [...widgets, ...orphans];
}

const widget = (id: ViewWidgetId, title: string, search?: Record<string, string>): ViewWidget => ({
  id,
  title,
  drawn: false,
  ...(search && { destination: { ...IDENTITIES, search } }),
  needs: IDENTITIES.needs,
  onDemand: true,
  size: { w: 3, h: 2 },
  least: { w: 2, h: 2 },
});
