import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { type Capability, can, type Role } from '../../../shared/capabilities.ts';
import { type SavedView, WIDGET_ID_MAX_CHARACTERS } from '../../../shared/dashboard.ts';
import { layoutQuery, type TaggedLayout } from '../../api/overview.ts';
import { viewsQuery } from '../../api/views.ts';
import { visibleText } from '../../lib/visible-text.ts';
import { searchOf, viewsOf } from '../../list/saved-views.ts';
import type { GridWidget } from './arrangement.ts';
import {
  ACTIVE_SESSIONS,
  CHANGES,
  CLIENTS,
  type Destination,
  IDENTITIES,
  LOCKED_ACCOUNTS,
  POSTURE,
  SESSIONS,
  SYSTEM,
} from './destinations.tsx';

/** A widget's fixed properties. */
export interface WidgetFacts extends GridWidget {
  /** Whether it has a chart that can be shown as a table. */
  drawn: boolean;
  /** The page that it summarises, if there is one. */
  destination?: Destination;
  /** Capability required to be offered the widget. */
  needs: Capability;
}

export interface WidgetBodyProps {
  /** Of the widget. */
  id: string;
  /** Shows the numbers as a table instead of a chart. */
  asTable: boolean;
}

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

const NUMBER = { size: { w: 3, h: 2 }, least: { w: 2, h: 2 } };
const CHART = { size: { w: 6, h: 4 }, least: { w: 3, h: 3 } };
const LIST = { size: { w: 4, h: 4 }, least: { w: 3, h: 2 } };

/** All widgets but those of views. Ids are stored in operators' layouts, so their meaning must never change. */
export const WIDGETS = [
  {
    id: 'identities-total',
    title: 'Identities',
    drawn: false,
    destination: IDENTITIES,
    needs: 'statistics.read',
    ...NUMBER,
  },
  {
    id: 'active-sessions',
    title: 'Active sessions',
    drawn: false,
    destination: ACTIVE_SESSIONS,
    needs: 'statistics.read',
    ...NUMBER,
  },
  {
    id: 'verification-rate',
    title: 'Verification rate',
    drawn: true,
    destination: IDENTITIES,
    needs: 'statistics.read',
    ...NUMBER,
  },
  {
    id: 'locked-accounts',
    title: 'Locked accounts',
    drawn: false,
    destination: LOCKED_ACCOUNTS,
    needs: 'locks.read',
    ...NUMBER,
  },
  { id: 'sign-ins', title: 'Sessions started', drawn: true, destination: SESSIONS, needs: 'statistics.read', ...CHART },
  { id: 'services', title: 'Services', drawn: false, destination: SYSTEM, needs: 'services.read', ...LIST },
  {
    id: 'session-map',
    title: 'Session map',
    drawn: true,
    destination: ACTIVE_SESSIONS,
    needs: 'session-locations.read',
    size: { w: 7, h: 5 },
    least: { w: 4, h: 4 },
  },
  {
    id: 'recent-audit',
    title: 'Recent audit',
    drawn: false,
    destination: CHANGES,
    needs: 'audit.read',
    ...LIST,
  },
  {
    id: 'new-identities',
    title: 'New identities',
    drawn: true,
    destination: IDENTITIES,
    needs: 'statistics.read',
    ...CHART,
  },
  { id: 'peak-hours', title: 'Peak hours', drawn: true, destination: SESSIONS, needs: 'statistics.read', ...CHART },
  {
    id: 'identities-by-schema',
    title: 'Identities by schema',
    drawn: true,
    destination: IDENTITIES,
    needs: 'statistics.read',
    ...LIST,
  },
  {
    id: 'clients-by-grant',
    title: 'OAuth2 clients by grant',
    drawn: true,
    destination: CLIENTS,
    needs: 'statistics.read',
    ...LIST,
  },
  {
    id: 'posture',
    title: 'Security posture',
    drawn: false,
    destination: POSTURE,
    needs: 'posture.read',
    size: { w: 4, h: 2 },
    least: { w: 3, h: 2 },
  },
] as const satisfies readonly WidgetFacts[];

export type WidgetId = (typeof WIDGETS)[number]['id'];

export type Widget = (WidgetFacts & { id: WidgetId }) | ViewWidget;

export const offeredTo = (role: Role): Widget[] => WIDGETS.filter(({ needs }) => can(role, needs));

const NONE: readonly string[] = [];
const placedViews = ({ layout }: TaggedLayout): string[] =>
  layout?.widgets.map(({ id }) => id).filter(isViewWidget) ?? [];

/** The widgets that an operator may see. Own views are read only if one is a widget, or may become one. */
export function useOffered(role: Role, isArranging: boolean): Widget[] {
  const withViews = can(role, IDENTITIES.needs);
  const { data: placed = NONE } = useQuery({ ...layoutQuery, select: placedViews });
  const { data: stored } = useQuery({
    ...viewsQuery,
    enabled: withViews && (isArranging || placed.filter(isViewWidget).some((id) => viewOf(id, []) === undefined)),
  });
  const own = stored?.views;
  return useMemo(
    () => [...offeredTo(role), ...(withViews ? viewWidgets(own, placed) : [])],
    [role, withViews, own, placed],
  );
}
