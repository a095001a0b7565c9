import type { Identity } from '../../../api/identities-record.ts';

/** What an edit looks at. Schema and state are compared and never written by it. */
export interface IdentityDocument {
  schema_id: string;
  state: string;
  traits: unknown;
  metadata_public: unknown;
  metadata_admin: unknown;
  /** Absent in an identity without one. */
  external_id?: string;
}

export const documentOf = (identity: Identity): IdentityDocument => ({
  schema_id: identity.schema_id,
  state: identity.state,
  traits: identity.traits,
  metadata_public: identity.metadata_public ?? null,
  metadata_admin: identity.metadata_admin ?? null,
  ...(identity.external_id ? { external_id: identity.external_id } : {}),
});
