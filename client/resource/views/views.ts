import type { Capability } from '../../../shared/capabilities.ts';
import type { SavedView, ViewResource } from '../../../shared/dashboard.ts';

/** The lists that views are of. */
export const LISTS: Readonly<Record<ViewResource, { to: string; needs: Capability; label: string }>> = {
  identities: { to: '/identities', needs: 'identities.read', label: 'Identities' },
  sessions: { to: '/sessions', needs: 'upstreams.read', label: 'Sessions' },
  clients: { to: '/oauth/clients', needs: 'upstreams.read', label: 'OAuth2 clients' },
  audit: { to: '/security/audit', needs: 'audit.read', label: 'Audit trail' },
};

const identities = (id: string, name: string, search: string): SavedView => ({
  id,
  resource: 'identities',
  name,
  search,
});

/** Views that everybody has. Layouts of the overview store their ids, so their meaning must never change. */
export const BUILT_IN_VIEWS: readonly SavedView[] = [
  identities('new-this-week', 'New this week', 'created=7d'),
  identities('inactive', 'Inactive', 'state=inactive'),
  identities('no-session-known', 'No session known', 'session=none'),
  identities('no-session-90-days', 'No session for 90 days', 'session=none-90d'),
  identities('no-verified-address', 'Without a verified address', 'verified=no'),
];

export const isBuiltIn = ({ id }: SavedView): boolean => BUILT_IN_VIEWS.some((view) => view.id === id);

/** The views of a list, those that everybody has first. */
export const viewsOf = (resource: ViewResource, own: readonly SavedView[]): SavedView[] =>
  [...BUILT_IN_VIEWS, ...own].filter((view) => view.resource === resource);

/** The search parameters of the address that a view leads to. */
export const searchOf = ({ search }: Pick<SavedView, 'search'>): Record<string, string> =>
  Object.fromEntries(new URLSearchParams(search));

/**
 * What a view keeps of a list's search parameters: everything but the page's size, in one order so that two can be
 * compared.
 */
export function viewSearch(search: Record<string, unknown>): string {
  const kept = new URLSearchParams();
  for (const [name, value] of Object.entries(search)) {
    if (value !== undefined && value !== '' && name !== 'page_size') kept.set(name, String(value));
  }
  kept.sort();
  return kept.toString();
}

/** The one of the views that leads to an address with these search parameters. */
export function viewAt(views: readonly SavedView[], search: Record<string, unknown>): SavedView | undefined {
  const here = viewSearch(search);
  return views.find((view) => viewSearch(searchOf(view)) === here);
}

/** A new view's id: nobody else's views are in the same document, so few random characters suffice. */
export const newViewId = (): string =>
  [...crypto.getRandomValues(new Uint8Array(8))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
