import assert from 'node:assert/strict';
import type { SavedView, SavedViews, ViewResource } from '../../shared/dashboard.ts';
import type { InterceptedDashboard } from './intercepted-dashboard.ts';

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
