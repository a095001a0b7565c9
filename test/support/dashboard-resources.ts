import assert from 'node:assert/strict';
import type {
  DashboardLayout,
  SavedView,
  SavedViews,
  Statistics,
  ViewResource,
  WidgetPlacement,
} from '../../shared/dashboard.ts';
import type { Dashboard } from './dashboard.ts';
import { eventually } from './eventually.ts';
import type { InterceptedDashboard } from './intercepted-dashboard.ts';

/** What the service has stored for the operator. */
export async function storedLayout(dashboard: Dashboard, session: string): Promise<DashboardLayout['layout']> {
  const response = await dashboard.call('/api/dashboard/layout', { session });
  return ((await response.json()) as DashboardLayout).layout;
}

/** Stores it whatever was stored before. */
export async function storeLayout(
  dashboard: Dashboard,
  session: string,
  layout: DashboardLayout['layout'],
): Promise<void> {
  const response = await dashboard.call('/api/dashboard/layout', { session, method: 'PUT', json: { layout } });
  assert.equal(response.status, 200);
}

/** Where the widget stands in the stored layout. */
export const placeOf = (layout: DashboardLayout['layout'], id: string): WidgetPlacement | undefined =>
  layout?.widgets.find((widget) => widget.id === id);

/** The lists are read in turn, with pauses. */
const READING_MS = 40_000;

/** Waits until something of every list has been read: a page that is opened earlier says for a moment that nothing has. */
export async function hasRead(dashboard: Dashboard, session: string): Promise<void> {
  const known = async (): Promise<boolean> => {
    const response = (await (await dashboard.call('/api/dashboard/statistics', { session })).json()) as Statistics;
    return response.identities !== null && response.sessions !== null && response.clients !== null;
  };
  await eventually(known, true, 'everything is read', READING_MS);
}

const VIEWS = '/api/dashboard/views';
export const COUNT = '/api/identities/search/count';

export const viewOf = (resource: ViewResource, id: string, name: string, search: string): SavedView => ({
  id,
  resource,
  name,
  search,
});

/** The administrator's views. */
export async function storedViews({ dashboard, sessions }: InterceptedDashboard): Promise<SavedView[]> {
  const response = await dashboard.call(VIEWS, { session: sessions.admin });
  return ((await response.json()) as SavedViews).views;
}

/** Stores these views of the administrator whatever was stored before. */
export async function storeViews({ dashboard, sessions }: InterceptedDashboard, ...views: SavedView[]): Promise<void> {
  const response = await dashboard.call(VIEWS, { session: sessions.admin, method: 'PUT', json: { views } });
  assert.equal(response.status, 200);
}
