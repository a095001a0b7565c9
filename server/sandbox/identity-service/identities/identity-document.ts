/** An identity as stored: as in Kratos' responses but without `schema_url`, which depends on the port. */
export interface IdentityDocument {
  id: string;
  external_id?: string;
  credentials: Record<string, Credential>;
  schema_id: string;
  state: 'active' | 'inactive';
  state_changed_at: string;
  traits: Record<string, unknown>;
  verifiable_addresses: VerifiableAddress[];
  recovery_addresses: RecoveryAddress[];
  metadata_public: unknown;
  metadata_admin: unknown;
  created_at: string;
  updated_at: string;
  organization_id: string | null;
}

export interface Credential {
  type: string;
  identifiers: string[];
  config: Record<string, unknown>;
  version: number;
  created_at: string;
  updated_at: string;
}

export interface RecoveryAddress {
  id: string;
  value: string;
  via: string;
  created_at: string;
  updated_at: string;
}

export interface VerifiableAddress extends RecoveryAddress {
  verified: boolean;
  status: 'pending' | 'sent' | 'completed';
  verified_at?: string | null;
}

/** The form in which login identifiers and addresses are compared. */
export const normalised = (value: string): string => value.trim().toLowerCase();

/** Values that must be unique among identities: the identifiers of each credential type, and addresses. */
export function uniqueValues(identity: IdentityDocument): { kind: string; value: string }[] {
  return [
    ...Object.values(identity.credentials).flatMap(({ type, identifiers }) =>
      identifiers.map((value) => ({ kind: type, value })),
    ),
    ...identity.verifiable_addresses.map(({ via, value }) => ({ kind: `verifiable-${via}`, value })),
    ...identity.recovery_addresses.map(({ via, value }) => ({ kind: `recovery-${via}`, value })),
  ];
}
