import type { Credential, IdentityDocument } from './identity-document.ts';

export interface IdentityView {
  /** Base URL of the public port, without trailing slash; undefined leaves `schema_url` empty. */
  publicUrl: string | undefined;
  credentials?: boolean;
  /** Credential types whose configuration is included, hashes and all. */
  includeConfig?: readonly string[];
  /** Credential types just written, whose dates Kratos does not read back. */
  fresh?: readonly string[];
  addresses?: boolean;
  adminMetadata?: boolean;
}

/** An identity as in Kratos' responses, without empty and unexpanded members. */
export function identityAnswer(identity: IdentityDocument, view: IdentityView): Record<string, unknown> {
  const { publicUrl, credentials = false, addresses = true, adminMetadata = true } = view;
  const { verifiable_addresses, recovery_addresses } = identity;
  return {
    id: identity.id,
    external_id: identity.external_id || undefined,
    credentials: credentials ? credentialAnswers(identity.credentials, view) : undefined,
    schema_id: identity.schema_id,
    schema_url: publicUrl === undefined ? '' : schemaUrl(publicUrl, identity.schema_id),
    state: identity.state,
    state_changed_at: identity.state_changed_at,
    traits: identity.traits,
    verifiable_addresses: addresses && verifiable_addresses.length > 0 ? verifiable_addresses : undefined,
    recovery_addresses: addresses && recovery_addresses.length > 0 ? recovery_addresses : undefined,
    metadata_public: identity.metadata_public,
    metadata_admin: adminMetadata ? identity.metadata_admin : undefined,
    created_at: identity.created_at,
    updated_at: identity.updated_at,
    organization_id: identity.organization_id,
  };
}

const schemaUrl = (publicUrl: string, schemaId: string): string =>
  `${publicUrl}/schemas/${Buffer.from(schemaId).toString('base64url')}`;

const ZERO_TIME = '0001-01-01T00:00:00Z';

function credentialAnswers(
  credentials: Record<string, Credential>,
  { includeConfig = [], fresh = [] }: IdentityView,
): Record<string, unknown> {
  const answers: Record<string, unknown> = {};
  for (const [type, { config, created_at, updated_at, ...rest }] of Object.entries(credentials)) {
    const dates = fresh.includes(type) ? { created_at: ZERO_TIME, updated_at: ZERO_TIME } : { created_at, updated_at };
    answers[type] = { ...rest, ...(includeConfig.includes(type) ? { config } : {}), ...dates };
  }
  return answers;
}
