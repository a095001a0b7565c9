import { useQuery } from '@tanstack/react-query';
import { type SavedView, WIDGET_ID_MAX_CHARACTERS } from '../../../shared/dashboard.ts';
import { identityCountQuery } from '../../api/identity-search.ts';
import { layoutQuery, statisticsQuery, type TaggedLayout } from '../../api/overview.ts';
import { refreshEvery } from '../../api/polling.ts';
import { useCan } from '../../api/session.ts';
import { viewsQuery } from '../../api/views.ts';
import { hasPeople } from '../../deployment.ts';
import { counted, digits } from '../../lib/format-count.ts';
import { visibleText } from '../../lib/visible-text.ts';
import { searchOf, VIEW_WIDGET, viewsOf } from '../../list/saved-views.ts';
import {
  BigNumber,
  IDENTITIES,
  identitiesWith,
  NoNumbers,
  type Widget,
  type WidgetBodyProps,
  WidgetContent,
} from './widget-parts.tsx';

/** The view that a widget counts, if it exists. @param own the operator's views */
const viewOf = (widgetId: string, own: readonly SavedView[]): SavedView | undefined =>
  viewsOf('identities', own).find(({ id }) => VIEW_WIDGET + id === widgetId);

const NONE: readonly string[] = [];
const placedViews = ({ layout }: TaggedLayout): string[] =>
  layout?.widgets.map(({ id }) => id).filter((id) => id.startsWith(VIEW_WIDGET)) ?? [];

/**
 * Widgets that count the matches of identity views. If the view is deleted, the widget says so, and stays until the
 * operator removes it. The views are requested only if needed.
 */
export function useViewWidgets(needsAll: boolean): Widget[] {
  const isOffered = useCan()(IDENTITIES.needs) && hasPeople();
  const { data: placed = NONE } = useQuery({ ...layoutQuery, select: placedViews });
  const enabled = isOffered && (needsAll || placed.some((id) => viewOf(id, []) === undefined));
  const own = useQuery({ ...viewsQuery, enabled }).data?.views;
  if (!isOffered) return [];
  const widgets = viewsOf('identities', own ?? [])
    .filter(({ id }) => VIEW_WIDGET.length + id.length <= WIDGET_ID_MAX_CHARACTERS)
    .map((view) => viewWidget(VIEW_WIDGET + view.id, visibleText(view.name), searchOf(view)));
  const orphans = placed
    .filter((id) => !widgets.some((widget) => widget.id === id))
    .map((id) => viewWidget(id, own === undefined ? 'View' : 'Deleted view'));
  return [...widgets, ...orphans];
}

const viewWidget = (id: string, title: string, search?: Record<string, string>): Widget => ({
  id,
  title,
  ...(search && { destination: identitiesWith(search) }),
  needs: IDENTITIES.needs,
  onDemand: true,
  size: { w: 3, h: 2 },
  min: { w: 2, h: 2 },
  Body: ViewNumber,
});

function ViewNumber({ id }: WidgetBodyProps) {
  const query = useQuery({ ...viewsQuery, enabled: viewOf(id, []) === undefined });
  const view = viewOf(id, query.data?.views ?? []);
  if (view !== undefined) return <MatchCount view={view} />;
  return (
    <WidgetContent query={query}>
      {() => <NoNumbers why="The view was deleted. To remove this widget, select “Arrange”." />}
    </WidgetContent>
  );
}

const EVERY_MS = 60_000;

function MatchCount({ view }: { view: SavedView }) {
  const search = searchOf(view);
  // The count does not reveal whether the index is complete.
  const { data: statistics } = useQuery(statisticsQuery);
  const isWhole = statistics?.identities?.complete !== false && statistics?.sessions?.truncated !== true;
  const query = useQuery({ ...identityCountQuery(search), refetchInterval: refreshEvery(EVERY_MS) });
  return (
    <WidgetContent query={query} caption={() => (isWhole ? 'counted by the index' : 'of those read so far')}>
      {({ count }) => (
        <BigNumber
          value={digits(count)}
          destination={identitiesWith(search)}
          label={counted(count, 'identity', 'identities')}
        >
          {count === 1 ? 'identity' : 'identities'}
        </BigNumber>
      )}
    </WidgetContent>
  );
}
