/** Members that move to another store: not the id, which that store makes itself, and no credentials. */
export const PORTABLE_MEMBERS = [
  'schema_id',
  'state',
  'external_id',
  'traits',
  'metadata_public',
  'metadata_admin',
] as const;

/** Imported but never exported: passwords to set, and addresses that are already verified. */
export const IMPORT_ONLY_MEMBERS = ['credentials', 'verifiable_addresses', 'recovery_addresses'] as const;

/** Set by the store; ignored in a file. */
export const STORE_MADE_MEMBERS: readonly string[] = [
  'id',
  'schema_url',
  'state_changed_at',
  'created_at',
  'updated_at',
  'organization_id',
  'region',
];

/** An identity as the admin API returns it; only the members above matter here. */
export type StoredIdentity = Record<string, unknown>;

/** Members that must be strings. */
export const TEXT_MEMBERS: readonly string[] = ['schema_id', 'state', 'external_id'];

/** The named members that have a value, in this order. */
export const membersPresent = (identity: StoredIdentity, names: readonly string[]): StoredIdentity =>
  Object.fromEntries(
    names
      .map((name): [string, unknown] => [name, identity[name]])
      // Metadata may be an empty string.
      .filter(
        ([name, value]) => value !== undefined && value !== null && !(value === '' && TEXT_MEMBERS.includes(name)),
      ),
  );
