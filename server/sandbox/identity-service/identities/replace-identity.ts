import { composeIdentity } from './compose-identity.ts';
import type { Credential, IdentityDocument } from './identity-document.ts';
import { malformed } from './identity-errors.ts';
import type { IdentitySchemas } from './identity-schemas.ts';
import { importedCredentials } from './imported-credentials.ts';

/** The identity after a PUT, and the credential types in the request. */
export interface ReplacedIdentity {
  identity: IdentityDocument;
  fresh: string[];
}

/**
 * Applies a PUT: absent metadata and external id are removed; absent state, schema and credentials are kept.
 * @throws IdentityServiceError 400
 */
export async function replaceIdentity(
  before: IdentityDocument,
  body: Record<string, unknown>,
  schemas: IdentitySchemas,
  at: string,
): Promise<ReplacedIdentity> {
  const schemaId = typeof body.schema_id === 'string' && body.schema_id !== '' ? body.schema_id : before.schema_id;
  const schema = schemas.ofIdentity(schemaId);
  const state = body.state || before.state;
  if (typeof state !== 'string') throw malformed('identity state is not valid');
  const imported = await importedCredentials(body.credentials);
  const credentials: Record<string, Credential> = { ...before.credentials };
  for (const [type, credential] of Object.entries(imported))
    credentials[type] = { type, version: 0, created_at: at, ...credentials[type], ...credential, updated_at: at };
  const { external_id: _wiped, ...kept } = before;
  const draft = {
    ...kept,
    ...(typeof body.external_id === 'string' && body.external_id !== '' ? { external_id: body.external_id } : {}),
    credentials,
    schema_id: schema.id,
    state,
    state_changed_at: state === before.state ? before.state_changed_at : at,
    traits: body.traits === undefined ? {} : body.traits,
    metadata_public: body.metadata_public ?? null,
    metadata_admin: body.metadata_admin ?? null,
  };
  return { identity: composeIdentity(draft, schema, at), fresh: Object.keys(imported) };
}
