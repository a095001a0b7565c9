import type { ListedIdentity } from './identities.ts';

export const SORTS = ['created', 'updated', 'identifier', 'last_session'] as const;
export type Sort = (typeof SORTS)[number];
export const SEARCH_MAX_CHARACTERS = 255;
/** How many ids `GET /api/identities/search/ids` gives at most. */
export const SEARCH_IDS_MAX = 10_000;

/** A row of `GET /api/identities/search`: the store's own of this moment. */
export interface FoundIdentity extends ListedIdentity {
  schema_id: string;
  /** Of the sessions that are known; ISO 8601, null without one. */
  last_session_at: string | null;
  /** It no longer fits the question: it has changed since it was read for the index. */
  changed?: true;
}

/** What a search knows of the store. */
export interface IndexState {
  /** Whether a whole reading of the store is in it. */
  complete: boolean;
  /** How many identities it has. */
  identities: number;
  /** When the newest were read, or the last whole reading began, or the first, which is under way; ISO 8601. */
  as_of: string | null;
}

/** `GET /api/identities/search` */
export interface IdentitySearchPage {
  identities: FoundIdentity[];
  next_page_token: string | null;
  has_more: boolean;
  /** Null where so many match that counting them takes too long. */
  total: number | null;
  index: IndexState;
}

/** `GET /api/identities/search/ids`: all that match. */
export interface IdentitySearchIds {
  ids: string[];
  index: IndexState;
}

/** `GET /api/identities/search/count` */
export interface IdentityCount {
  count: number;
  as_of: string | null;
}
