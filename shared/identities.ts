/** An identity in a list (docs/api.md#identities): exactly these five fields, whatever the upstream adds. */
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
