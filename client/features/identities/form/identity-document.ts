import type { Identity } from '../../../api/identities-record.ts';

/** The members that an edit compares. Schema and state are compared but never written. */
export interface IdentityDocument {
  schema_id: string;
  state: string;
  traits: unknown;
  metadata_public: unknown;
  metadata_admin: unknown;
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
