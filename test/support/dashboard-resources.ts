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

/** The operator's stored layout. */
export async function storedLayout(dashboard: Dashboard, session: string): Promise<DashboardLayout['layout']> {
  const response = await dashboard.call('/api/dashboard/layout', { session });
  return ((await response.json()) as DashboardLayout).layout;
}

/** Replaces the operator's layout. */
export async function storeLayout(
  dashboard: Dashboard,
  session: string,
  layout: DashboardLayout['layout'],
): Promise<void> {
  const response = await dashboard.call('/api/dashboard/layout', { session, method: 'PUT', json: { layout } });
  assert.equal(response.status, 200);
}

/** The position and size of a widget in a layout. */
export const placementOf = (layout: DashboardLayout['layout'], id: string): WidgetPlacement | undefined =>
  layout?.widgets.find((widget) => widget.id === id);

/** The time for a first sync, in which the lists are read one after another, with pauses. */
const SYNC_MS = 40_000;

/** Waits until a part of every list is synced. Until then, the overview reports that there are no figures yet. */
export async function statisticsReady(dashboard: Dashboard, session: string): Promise<void> {
  const isSynced = async (): Promise<boolean> => {
    const response = (await (await dashboard.call('/api/dashboard/statistics', { session })).json()) as Statistics;
    return response.identities !== null && response.sessions !== null && response.clients !== null;
  };
  await eventually(isSynced, true, 'every list is synced', SYNC_MS);
}

const VIEWS = '/api/dashboard/views';
export const COUNT = '/api/identities/search/count';

export const viewOf = (resource: ViewResource, id: string, name: string, search: string): SavedView => ({
  id,
  resource,
  name,
  search,
});

/** The administrator's saved views. */
export async function storedViews({ dashboard, sessions }: InterceptedDashboard): Promise<SavedView[]> {
  const response = await dashboard.call(VIEWS, { session: sessions.admin });
  return ((await response.json()) as SavedViews).views;
}

/** Replaces the administrator's saved views. */
export async function storeViews({ dashboard, sessions }: InterceptedDashboard, ...views: SavedView[]): Promise<void> {
  const response = await dashboard.call(VIEWS, { session: sessions.admin, method: 'PUT', json: { views } });
  assert.equal(response.status, 200);
}
