/** An identity in a list (docs/api.md#identities): exactly these five fields, even if the upstream returns more. */
export interface ListedIdentity {
  id: string;
  traits: Record<string, unknown>;
  state: string;
  created_at: string;
  updated_at: string;
}

/** `GET /api/identities` (docs/api.md#identities). */
export interface IdentityPage {
  identities: ListedIdentity[];
  next_page_token: string | null;
  has_more: boolean;
}

/** `GET /api/identities/total`: `total` is null if the identity service does not report it. */
export interface IdentityTotal {
  total: number | null;
  /** When it was counted, ISO 8601. */
  as_of: string;
}

export const PAGE_SIZE_DEFAULT = 25;
export const PAGE_SIZE_MAX = 250;
export const PAGE_TOKEN_MAX_CHARACTERS = 2048;
export const CREDENTIALS_IDENTIFIER_MAX_CHARACTERS = 255;

export const SORTS = ['created', 'updated', 'identifier', 'last_session'] as const;
export type Sort = (typeof SORTS)[number];
export const SEARCH_MAX_CHARACTERS = 255;
export const SEARCH_IDS_MAX = 10_000;

/** A row of `GET /api/identities/search`, read from the store for this response. */
export interface FoundIdentity extends ListedIdentity {
  schema_id: string;
  /** When the last session in the index began; ISO 8601, null if there is none. */
  last_session_at: string | null;
  /** The identity has changed since it was indexed and no longer matches the search. */
  changed?: true;
}

export interface IndexState {
  /** Whether a full sync has finished. */
  complete: boolean;
  identities: number;
  /** When the newest identities were read, or when a full sync began, whichever is later; ISO 8601. */
  as_of: string | null;
}

/** `GET /api/identities/search` */
export interface IdentitySearchPage {
  identities: FoundIdentity[];
  next_page_token: string | null;
  has_more: boolean;
  /** Null if there are too many matches to count quickly. */
  total: number | null;
  index: IndexState;
  /** The store did not look up the exact identifier in time, so somebody who is not in the index may be missing. */
  exact?: 'unfinished';
}

/** `GET /api/identities/search/ids`: the ids of all matches. */
export interface IdentitySearchIds {
  ids: string[];
  index: IndexState;
}

/** `GET /api/identities/search/count` */
export interface IdentityCount {
  count: number;
  as_of: string | null;
}
