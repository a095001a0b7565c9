import type { JsonObject } from './json.ts';

/** What a search knows of the OAuth 2.0 server's clients. */
export interface ClientIndexState {
  /** Whether a whole reading of them is in it. */
  complete: boolean;
  /** How many clients it has. */
  clients: number;
  /** When the last whole reading began, or the first, which is under way; ISO 8601. */
  as_of: string;
}

/** `GET /api/oauth-clients/search` */
export interface ClientSearchPage {
  /** The OAuth 2.0 server's own of this moment, by id, without secrets. */
  clients: JsonObject[];
  next_page_token: string | null;
  has_more: boolean;
  total: number;
  index: ClientIndexState;
}
