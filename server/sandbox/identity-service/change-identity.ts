import { isObject } from '../../../shared/json.ts';
import { applyPatch, JsonError, parsePatch, wrongType } from '../formats.ts';
import { composeIdentity } from './create-identity.ts';
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
