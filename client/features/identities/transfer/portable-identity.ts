/** What moves from one store to another: no id, which the other store makes itself, and no credentials. */
export const PORTABLE_MEMBERS = [
  'schema_id',
  'state',
  'external_id',
  'traits',
  'metadata_public',
  'metadata_admin',
] as const;

/** Taken when a file has them, never exported: passwords to set, addresses that are known to be verified. */
export const IMPORT_ONLY_MEMBERS = ['credentials', 'verifiable_addresses', 'recovery_addresses'] as const;

/** The store makes these itself; a file that has them is taken without them. */
export const STORE_MADE_MEMBERS: readonly string[] = [
  'id',
  'schema_url',
  'state_changed_at',
  'created_at',
  'updated_at',
  'organization_id',
  'region',
];

/** An identity as the admin API describes it, of which only the members above are of interest here. */
export type StoredIdentity = Record<string, unknown>;

/** Of those, the ones that are text and nothing else. */
export const TEXT_MEMBERS: readonly string[] = ['schema_id', 'state', 'external_id'];

/** These members, in this order, without those that have no value. */
export const membersPresent = (identity: StoredIdentity, names: readonly string[]): StoredIdentity =>
  Object.fromEntries(
    names
      .map((name): [string, unknown] => [name, identity[name]])
      // Metadata may well be an empty text.
      .filter(
        ([name, value]) => value !== undefined && value !== null && !(value === '' && TEXT_MEMBERS.includes(name)),
      ),
  );
