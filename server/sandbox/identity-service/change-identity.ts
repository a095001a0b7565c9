import { isObject } from '../../../shared/json.ts';
import { applyPatch, JsonError, parsePatch, wrongType } from '../formats.ts';
import { composeIdentity } from './create-identity.ts';
import { importedCredentials } from './credentials.ts';
import { malformed } from './errors.ts';
import type { Credential, IdentityDocument, RecoveryAddress, VerifiableAddress } from './identities.ts';
import { type IdentitySchema, schemaOf } from './schemas.ts';

const DENIED = [/^\/id$/i, /^\/statechangedat$/i, /^\/credentials$/i, /^\/credentials\/(oidc|saml)\/.+$/i];

/**
 * Applies a JSON Patch to an identity. Unknown members are ignored.
 * @param text the request's body
 * @throws IdentityServiceError 400
 */
export function patchIdentity(
  before: IdentityDocument,
  text: string,
  schemas: readonly IdentitySchema[],
  at: string,
): IdentityDocument {
  const patched = patchedDocument(before, text);
  const { state, external_id, organization_id } = patched;
  if (state !== 'active' && state !== 'inactive')
    throw malformed(
      `The supplied state ('${state ?? ''}') was not valid. Valid states are ('active', 'inactive').`,
      'identity state is not valid',
    );
  const schemaId = String(patched.schema_id);
  const draft = {
    id: before.id,
    ...(external_id ? { external_id: String(external_id) } : {}),
    credentials: patched.credentials as Record<string, Credential>,
    schema_id: schemaId,
    state,
    state_changed_at: state === before.state ? before.state_changed_at : at,
    traits: patched.traits ?? {},
    verifiable_addresses: listOf<VerifiableAddress>(patched.verifiable_addresses),
    recovery_addresses: listOf<RecoveryAddress>(patched.recovery_addresses),
    metadata_public: patched.metadata_public ?? null,
    metadata_admin: patched.metadata_admin ?? null,
    created_at: before.created_at,
    organization_id: typeof organization_id === 'string' ? organization_id : null,
  };
  return composeIdentity(draft, schemaOf(schemas, schemaId), at);
}

const listOf = <T>(value: unknown): T[] => (Array.isArray(value) ? (value as T[]) : []);

function patchedDocument(before: IdentityDocument, text: string): Record<string, unknown> {
  try {
    const patch = parsePatch(text);
    for (const { path } of patch)
      if (DENIED.some((denied) => denied.test(path))) throw new JsonError(`patch includes denied path: ${path}`);
    const patched = applyPatch({ ...before }, patch);
    for (const credential of Object.values(patched.credentials ?? {}))
      if (!isObject(credential) || !isObject(credential.config))
        throw wrongType(
          credential,
          'struct field WithCredentialsAndAdminMetadataInJSON.credentials of type identity.Credentials',
        );
    return patched;
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    throw malformed('An error occured when applying the JSON patch', error.message);
  }
}

/**
 * Applies a PUT: absent metadata and external id are removed; absent state, schema and credentials are kept.
 * @returns the changed identity, and `fresh`: the credential types in the request
 * @throws IdentityServiceError 400
 */
export async function replaceIdentity(
  before: IdentityDocument,
  body: Record<string, unknown>,
  schemas: readonly IdentitySchema[],
  at: string,
) {
  const schemaId = typeof body.schema_id === 'string' && body.schema_id !== '' ? body.schema_id : before.schema_id;
  const schema = schemaOf(schemas, schemaId);
  const state = body.state || before.state;
  if (typeof state !== 'string') throw malformed('identity state is not valid');
  const imported = await importedCredentials(body.credentials);
  const credentials: Record<string, Credential> = { ...before.credentials };
  for (const [type, credential] of Object.entries(imported))
    credentials[type] = { type, version: 0, created_at: at, ...credentials[type], ...credential, updated_at: at };
  const { external_id: _removed, ...kept } = before;
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
