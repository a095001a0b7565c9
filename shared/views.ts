/** The lists that a view may be of. */
export const VIEW_RESOURCES = ['identities', 'sessions', 'clients', 'audit'] as const;
export type ViewResource = (typeof VIEW_RESOURCES)[number];

/** What an operator looks for in a list, under a name. */
export interface SavedView {
  /** Chosen by the client, unique among the operator's views. */
  id: string;
  resource: ViewResource;
  name: string;
  /** The query of the list's address, without its question mark. */
  search: string;
}

/** `GET` and `PUT /api/dashboard/views`: the operator's own, in their order. */
export interface SavedViews {
  views: SavedView[];
}

export const VIEWS_MAX = 50;
export const VIEW_ID = /^[a-z0-9-]{1,64}$/;
export const VIEW_NAME_MAX_CHARACTERS = 60;
export const VIEW_SEARCH_MAX_CHARACTERS = 2_000;
