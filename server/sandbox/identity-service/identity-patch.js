import { goTypeOf, isObject } from '../go/json.js';
import { applyPatch, JsonPatchError, parsePatch } from '../go/json-patch.js';
import { isUuid, uuidProblem } from '../go/uuid.js';
import { composeIdentity } from './compose-identity.js';
import { IdentityServiceError, malformed } from './identity-errors.js';

const DENIED = [/^\/id$/i, /^\/statechangedat$/i, /^\/credentials$/i, /^\/credentials\/(oidc|saml)\/.+$/i];
const TIMES = ['state_changed_at', 'created_at', 'updated_at'];
/**
 * An identity with a JSON Patch applied. Members that an identity does not have are ignored.
 * @param text the request's body
 * @throws IdentityServiceError 400 or 500
 */
export function patchIdentity(before, text, schemas, at) {
  const patched = applied(before, text);
  const credentials = checkedCredentials(patched.credentials);
  const state = checkedState(patched.state);
  for (const name of TIMES) checkTime(patched[name]);
  const { organization_id, external_id } = patched;
  if (typeof organization_id === 'string' && !isUuid(organization_id)) throw refused(uuidProblem(organization_id));
  const schemaId = typeof patched.schema_id === 'string' ? patched.schema_id : before.schema_id;
  const identity = composeIdentity(
    {
      id: before.id,
      ...(typeof external_id === 'string' && external_id !== '' ? { external_id } : {}),
      credentials,
      schema_id: schemaId,
      state,
      state_changed_at: state === before.state ? String(patched.state_changed_at) : at,
      traits: patched.traits ?? {},
      verifiable_addresses: listOf(patched.verifiable_addresses),
      recovery_addresses: listOf(patched.recovery_addresses),
      metadata_public: patched.metadata_public ?? null,
      metadata_admin: patched.metadata_admin ?? null,
      created_at: String(patched.created_at ?? before.created_at),
      organization_id: typeof organization_id === 'string' ? organization_id : null,
    },
    schemas.ofIdentity(schemaId),
    at,
  );
  return { identity, schemaUrl: typeof patched.schema_url === 'string' ? patched.schema_url : undefined };
}
const refused = (message) => malformed('An error occured when applying the JSON patch', message);
const listOf = (value) => (Array.isArray(value) ? value : []);
function applied(before, text) {
  try {
    const patch = parsePatch(text);
    for (const { path } of patch)
      if (DENIED.some((denied) => denied.test(path))) throw new JsonPatchError(`patch includes denied path: ${path}`);
    return applyPatch({ ...before }, patch);
  } catch (error) {
    throw error instanceof JsonPatchError ? refused(error.message) : error;
  }
}
const STRUCT = 'Go struct field WithCredentialsAndAdminMetadataInJSON';
function checkedCredentials(value) {
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
  return value;
}
function checkedState(value) {
  if (typeof value !== 'string')
    throw refused(`json: cannot unmarshal ${goTypeOf(value)} into ${STRUCT}.state of type identity.State`);
  if (value === 'active' || value === 'inactive') return value;
  throw malformed(
    `The supplied state ('${value}') was not valid. Valid states are ('active', 'inactive').`,
    'identity state is not valid',
  );
}
function checkTime(value) {
  const text = String(value);
  if (!/^\d{4}-\d\d-\d\dT/.test(text) || Number.isNaN(Date.parse(text)))
    throw refused(`parsing time "${text}" as "2006-01-02T15:04:05Z07:00": cannot parse "${text}" as "2006"`);
}
