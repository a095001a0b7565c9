import { composeIdentity } from './compose-identity.js';
import { importedCredentials } from './credentials.js';
import { malformed } from './identity-errors.js';
/**
 * An identity as a PUT leaves it: metadata and external id that are not sent are gone; state, schema and credentials
 * that are not sent stay.
 * @throws IdentityServiceError 400
 */
export async function replaceIdentity(before, body, schemas, at) {
  const schemaId = typeof body.schema_id === 'string' && body.schema_id !== '' ? body.schema_id : before.schema_id;
  const schema = schemas.ofIdentity(schemaId);
  const state = body.state || before.state;
  if (typeof state !== 'string') throw malformed('identity state is not valid');
  const imported = await importedCredentials(body.credentials);
  const credentials = { ...before.credentials };
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
