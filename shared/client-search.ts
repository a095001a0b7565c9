import type { JsonObject } from './json.ts';

export interface ClientIndexState {
  /** Whether a full sync has finished. */
  complete: boolean;
  clients: number;
  /** When the last full sync began, or the first one while it is running; ISO 8601. */
  as_of: string;
}

/** `GET /api/oauth-clients/search` */
export interface ClientSearchPage {
  /** Read from the OAuth 2.0 server for this response, ordered by id, without secrets. */
  clients: JsonObject[];
  next_page_token: string | null;
  has_more: boolean;
  total: number;
  /** From when on these clients have had no token; null without `unused`. */
  unused_since: string | null;
  index: ClientIndexState;
}

/** A client without a token for this long is called unused. */
export const UNUSED_DAYS = 90;
