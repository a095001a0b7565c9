import assert from 'node:assert/strict';
import type { Locator, Page } from 'playwright-core';
import type { SavedView, SavedViews, ViewResource } from '../../shared/views.ts';
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
  const answer = await dashboard.call(VIEWS, { session: sessions.admin });
  return ((await answer.json()) as SavedViews).views;
}

/** Stores these views of the administrator whatever was stored before. */
export async function storeViews({ dashboard, sessions }: InterceptedDashboard, ...views: SavedView[]): Promise<void> {
  const answer = await dashboard.call(VIEWS, { session: sessions.admin, method: 'PUT', json: { views } });
  assert.equal(answer.status, 200);
}

export const viewsButton = (page: Page): Locator => page.getByRole('button', { name: 'Views', exact: true });
const viewsMenu = (page: Page): Locator => page.getByRole('region', { name: /^Views of / });
export const currentView = (page: Page): Locator => page.getByTitle('The view that is shown');

export async function openedMenu(page: Page): Promise<Locator> {
  await viewsButton(page).click();
  await viewsMenu(page).waitFor();
  return viewsMenu(page);
}

const nameField = (page: Page): Locator => page.getByRole('dialog').getByLabel('Name', { exact: true });
export const save = (page: Page): Promise<void> => page.getByRole('button', { name: 'Save', exact: true }).click();

/** Saves what the list shows as a view. */
export async function saveAs(page: Page, name: string): Promise<void> {
  await (await openedMenu(page)).getByRole('button', { name: 'Save as view…' }).click();
  await nameField(page).fill(name);
  await save(page);
}

/** The query of the page's address. */
export const query = (page: Page): string => new URL(page.url()).search;

export const isFocused = (what: Locator): Promise<boolean> => what.evaluate((one) => one === document.activeElement);
