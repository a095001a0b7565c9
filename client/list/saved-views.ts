import type { Capability } from '../../shared/capabilities.ts';
import {
  type SavedView,
  VIEW_NAME_MAX_CHARACTERS,
  VIEW_SEARCH_MAX_CHARACTERS,
  VIEWS_MAX,
  type ViewResource,
} from '../../shared/dashboard.ts';
import type { ViewsChange } from '../api/views.ts';

export const LISTS: Readonly<Record<ViewResource, { to: string; needs: Capability; label: string }>> = {
  identities: { to: '/identities', needs: 'identities.read', label: 'Identities' },
  sessions: { to: '/sessions', needs: 'sessions.read', label: 'Sessions' },
  clients: { to: '/oauth/clients', needs: 'clients.read', label: 'Clients' },
  audit: { to: '/security/audit', needs: 'audit.read', label: 'Audit trail' },
};

const identities = (id: string, name: string, search: string): SavedView => ({
  id,
  resource: 'identities',
  name,
  search,
});

/** Views for all operators. Overview layouts store their ids, so an id must never change its meaning. */
export const BUILT_IN_VIEWS: readonly SavedView[] = [
  identities('new-this-week', 'New this week', 'created=7d'),
  identities('inactive', 'Inactive', 'state=inactive'),
  identities('no-session-known', 'No known session', 'session=none'),
  identities('no-session-90-days', 'No session for 90 days', 'session=none-90d'),
  identities('no-verified-address', 'No verified address', 'verified=no'),
];

/** Prefix of a view's widget on the overview, as stored in layouts; the view's id follows. */
export const VIEW_WIDGET = 'view-';

export const isBuiltIn = ({ id }: SavedView): boolean => BUILT_IN_VIEWS.some((view) => view.id === id);

/** The views of a list, built-in views first. */
export const viewsOf = (resource: ViewResource, own: readonly SavedView[]): SavedView[] =>
  [...BUILT_IN_VIEWS, ...own].filter((view) => view.resource === resource);

export const searchOf = ({ search }: Pick<SavedView, 'search'>): Record<string, string> =>
  Object.fromEntries(new URLSearchParams(search));

/** The search of a view: all valid parameters except the page size, sorted so that two views can be compared. */
export function viewSearch(search: Record<string, unknown>): string {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(search)) {
    if (value !== undefined && value !== '' && !['page_size', 'invalid'].includes(name))
      params.set(name, String(value));
  }
  params.sort();
  return params.toString();
}

export function viewMatching(views: readonly SavedView[], search: Record<string, unknown>): SavedView | undefined {
  const here = viewSearch(search);
  return views.find((view) => viewSearch(searchOf(view)) === here);
}

/** A new view's id. Eight random bytes suffice: ids only need to be unique among one operator's views. */
export const newViewId = (): string =>
  [...crypto.getRandomValues(new Uint8Array(8))].map((byte) => byte.toString(16).padStart(2, '0')).join('');

/** Adds a view. Idempotent: after a lost response, the first attempt may have succeeded. */
export const adding =
  (view: SavedView): ViewsChange =>
  (views) => {
    const others = views.filter(({ id }) => id !== view.id);
    if (others.length >= VIEWS_MAX) throw new Error(FULL);
    return [...others, view];
  };

/** Changes only these members, so that other changes are kept. */
export const changing =
  (id: string, members: Partial<Pick<SavedView, 'name' | 'search'>>): ViewsChange =>
  (views) => {
    if (!views.some((view) => view.id === id)) throw new Error('This view was deleted in another tab or browser.');
    return views.map((view) => (view.id === id ? { ...view, ...members } : view));
  };

export const removing =
  (id: string): ViewsChange =>
  (views) =>
    views.filter((view) => view.id !== id);

const FULL = `You have ${VIEWS_MAX} views, which is the limit. Delete one first.`;

export const nameIn = (typed: string): string => typed.replace(/\p{Cc}+/gu, ' ').trim();

/** Why a name is not allowed for a view; undefined if it is. @param views of all lists */
export function nameProblem(view: Pick<SavedView, 'id' | 'resource'>, name: string, views: readonly SavedView[]) {
  const length = [...name].length;
  if (length === 0) return 'Enter a name.';
  if (length > VIEW_NAME_MAX_CHARACTERS) return `At most ${VIEW_NAME_MAX_CHARACTERS} characters.`;
  if (/\p{Surrogate}/u.test(name)) return 'This name contains an invalid character.';
  const isTaken = viewsOf(view.resource, views).some(
    (other) => other.id !== view.id && other.name.toLowerCase() === name.toLowerCase(),
  );
  return isTaken ? 'This list already has a view with this name.' : undefined;
}

/**
 * Why the search of a list cannot be saved as a view; undefined if it can.
 * @param views of all lists; undefined until they have loaded
 */
export function saveProblem(search: string, views: readonly SavedView[] | undefined): string | undefined {
  if (views === undefined) return 'Your views have not loaded.';
  if (views.length >= VIEWS_MAX) return FULL;
  if (search === '') return 'First set a filter, an order or columns to save.';
  return searchProblem(search);
}

/** Why the search cannot replace the search of a view. */
export const searchProblem = (search: string): string | undefined =>
  search.length > VIEW_SEARCH_MAX_CHARACTERS ? 'These filters are too long to save.' : undefined;
