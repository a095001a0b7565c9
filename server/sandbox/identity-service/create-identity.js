import { randomUUID } from 'node:crypto';
import { decodeJson, GoJsonError, goTypeOf, isObject } from '../go/json.js';
import { composeIdentity } from './compose-identity.js';
import { importedCredentials } from './credentials.js';
import { normalised } from './identity-document.js';

/** The members of a create request; any other is refused. */
const TEXTS = ['schema_id', 'state', 'external_id'];
const OTHERS = [
  'traits',
  'credentials',
  'verifiable_addresses',
  'recovery_addresses',
  'metadata_public',
  'metadata_admin',
  'organization_id',
];
/** @throws GoJsonError in the words of the real decoder */
export function parseCreateBody(text) {
  return asCreateBody(decodeJson(text));
}
export function asCreateBody(value) {
  if (value === null) return {};
  if (!isObject(value))
    throw new GoJsonError(
      `json: cannot unmarshal ${goTypeOf(value)} into Go value of type identity.CreateIdentityBody`,
    );
  for (const [name, member] of Object.entries(value)) {
    if (TEXTS.some((text) => text === name)) {
      if (member !== null && typeof member !== 'string')
        throw new GoJsonError(
          `json: cannot unmarshal ${goTypeOf(member)} into Go struct field CreateIdentityBody.${name} of type string`,
        );
    } else if (!OTHERS.includes(name)) throw new GoJsonError(`json: unknown field "${name}"`);
  }
  return value;
}
/**
 * The identity that a create request describes, not stored yet.
 * @param at now, ISO 8601
 * @throws IdentityServiceError 400
 */
export async function newIdentity(body, schemas, at) {
  const schema = schemas.ofIdentity(body.schema_id);
  const credentials = {};
  for (const [type, imported] of Object.entries(await importedCredentials(body.credentials)))
    credentials[type] = { type, ...imported, version: 0, created_at: at, updated_at: at };
  const draft = {
    id: randomUUID(),
    ...(body.external_id ? { external_id: body.external_id } : {}),
    credentials,
    schema_id: schema.id,
    state: body.state || 'active',
    state_changed_at: at,
    traits: body.traits === undefined ? {} : body.traits,
    verifiable_addresses: givenAddresses(body.verifiable_addresses, at),
    recovery_addresses: [],
    metadata_public: body.metadata_public ?? null,
    metadata_admin: body.metadata_admin ?? null,
    created_at: at,
    organization_id: null,
  };
  return composeIdentity(draft, schema, at);
}
/** Addresses that the request knows to be verified; those that the traits do not have are dropped later. */
function givenAddresses(input, at) {
  if (!Array.isArray(input)) return [];
  return input.filter(isObject).map(({ value, via, verified }) => ({
    id: randomUUID(),
    value: normalised(String(value)),
    via: String(via ?? 'email'),
    verified: verified === true,
    status: verified === true ? 'completed' : 'pending',
    created_at: at,
    updated_at: at,
  }));
}
