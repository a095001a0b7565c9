import assert from 'node:assert/strict';
import type {
  DashboardLayout,
  SavedView,
  SavedViews,
  Statistics,
  ViewResource,
  WidgetPlacement,
} from '../../shared/dashboard.ts';
import { eventually } from './eventually.ts';
import type { InterceptedDashboard } from './intercepted-dashboard.ts';

/** The administrator's stored layout. */
export const storedLayout = async ({ read }: InterceptedDashboard): Promise<DashboardLayout['layout']> =>
  (await read<DashboardLayout>('/api/dashboard/layout')).layout;

/** Replaces the administrator's layout. */
export async function storeLayout({ call }: InterceptedDashboard, layout: DashboardLayout['layout']): Promise<void> {
  const response = await call('/api/dashboard/layout', { method: 'PUT', json: { layout } });
  assert.equal(response.status, 200);
}

/** The position and size of a widget in a layout. */
export const placementOf = (layout: DashboardLayout['layout'], id: string): WidgetPlacement | undefined =>
  layout?.widgets.find((widget) => widget.id === id);

/** The time for a first sync, in which the lists are read one after another, with pauses. */
const SYNC_MS = 40_000;

/** Waits until a part of every list is synced. Until then, the overview reports that there are no figures yet. */
export async function statisticsReady({ read }: InterceptedDashboard): Promise<void> {
  const isSynced = async (): Promise<boolean> => {
    const { identities, sessions, clients } = await read<Statistics>('/api/dashboard/statistics');
    return identities !== null && sessions !== null && clients !== null;
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
export const storedViews = async ({ read }: InterceptedDashboard): Promise<SavedView[]> =>
  (await read<SavedViews>(VIEWS)).views;

/** Replaces the administrator's saved views. */
export async function storeViews({ call }: InterceptedDashboard, ...views: SavedView[]): Promise<void> {
  const response = await call(VIEWS, { method: 'PUT', json: { views } });
  assert.equal(response.status, 200);
}
