import { goTypeOf, isObject, isUuid, uuidProblem } from '../go.ts';
import { applyPatch, JsonPatchError, parsePatch } from '../json-patch.ts';
import { composeIdentity } from './create-identity.ts';
import { importedCredentials } from './credentials.ts';
import type { Credential, IdentityDocument, RecoveryAddress, VerifiableAddress } from './identity-store.ts';
import type { IdentitySchemas } from './schemas.ts';
import { IdentityServiceError, malformed, notFound } from './validation.ts';

const DENIED = [/^\/id$/i, /^\/statechangedat$/i, /^\/credentials$/i, /^\/credentials\/(oidc|saml)\/.+$/i];
const TIMES = ['state_changed_at', 'created_at', 'updated_at'] as const;

/** The identity after the patch, and a `schema_url` set by it, which is echoed but not stored. */
export interface PatchedIdentity {
  identity: IdentityDocument;
  schemaUrl: string | undefined;
}

/**
 * Applies a JSON Patch to an identity. Unknown members are ignored.
 * @param text the request's body
 * @throws IdentityServiceError 400 or 500
 */
export function patchIdentity(
  before: IdentityDocument,
  text: string,
  schemas: IdentitySchemas,
  at: string,
): PatchedIdentity {
  const patched = applied(before, text);
  const credentials = checkedCredentials(patched.credentials);
  const state = checkedState(patched.state);
  for (const name of TIMES) checkTime(patched[name]);
  const { organization_id, external_id = null } = patched;
  if (external_id !== null && typeof external_id !== 'string')
    throw refused(`json: cannot unmarshal ${goTypeOf(external_id)} into Go value of type string`);
  if (typeof organization_id === 'string' && !isUuid(organization_id)) throw refused(uuidProblem(organization_id));
  const schemaId = typeof patched.schema_id === 'string' ? patched.schema_id : before.schema_id;
  const identity = composeIdentity(
    {
      id: before.id,
      ...(external_id ? { external_id } : {}),
      credentials,
      schema_id: schemaId,
      state,
      state_changed_at: state === before.state ? String(patched.state_changed_at) : at,
      traits: patched.traits ?? {},
      verifiable_addresses: listOf<VerifiableAddress>(patched.verifiable_addresses),
      recovery_addresses: listOf<RecoveryAddress>(patched.recovery_addresses),
      metadata_public: patched.metadata_public ?? null,
      metadata_admin: patched.metadata_admin ?? null,
      created_at: String(patched.created_at ?? before.created_at),
      organization_id: typeof organization_id === 'string' ? organization_id : null,
    },
    schemas.ofIdentity(schemaId),
    at,
  );
  // A patch that replaces the whole document must not change its id.
  if (patched.id !== before.id) throw notFound();
  return { identity, schemaUrl: typeof patched.schema_url === 'string' ? patched.schema_url : undefined };
}

const refused = (message: string): IdentityServiceError =>
  malformed('An error occured when applying the JSON patch', message);

const listOf = <T>(value: unknown): T[] => (Array.isArray(value) ? (value as T[]) : []);

function applied(before: IdentityDocument, text: string): Record<string, unknown> {
  try {
    const patch = parsePatch(text);
    for (const { path } of patch)
      if (DENIED.some((denied) => denied.test(path))) throw new JsonPatchError(`patch includes denied path: ${path}`);
    const patched = applyPatch({ ...before }, patch);
    if (Array.isArray(patched))
      throw new JsonPatchError(
        'json: cannot unmarshal array into Go value of type identity.WithCredentialsAndAdminMetadataInJSON',
      );
    return patched;
  } catch (error) {
    throw error instanceof JsonPatchError ? refused(error.message) : error;
  }
}

const STRUCT = 'Go struct field WithCredentialsAndAdminMetadataInJSON';

function checkedCredentials(value: unknown): Record<string, Credential> {
  if (!isObject(value)) return {};
  for (const credential of Object.values(value)) {
    if (!isObject(credential))
      throw refused(
        `json: cannot unmarshal ${goTypeOf(credential)} into ${STRUCT}.credentials of type identity.Credentials`,
      );
    if (credential.type === 'password' && !isObject(credential.config)) {
      const message = `json: cannot unmarshal ${goTypeOf(credential.config)} into Go value of type identity.CredentialsPassword`;
      throw new IdentityServiceError(500, { code: 500, status: 'Internal Server Error', message });
    }
  }
  return value as Record<string, Credential>;
}

function checkedState(value: unknown = ''): string {
  // Go turns a null or missing string into an empty one.
  if (value === null) return checkedState();
  if (typeof value !== 'string')
    throw refused(`json: cannot unmarshal ${goTypeOf(value)} into ${STRUCT}.state of type identity.State`);
  if (value === 'active' || value === 'inactive') return value;
  throw malformed(
    `The supplied state ('${value}') was not valid. Valid states are ('active', 'inactive').`,
    'identity state is not valid',
  );
}

function checkTime(value: unknown): void {
  const text = String(value);
  if (!/^\d{4}-\d\d-\d\dT/.test(text) || Number.isNaN(Date.parse(text)))
    throw refused(`parsing time "${text}" as "2006-01-02T15:04:05Z07:00": cannot parse "${text}" as "2006"`);
}

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
