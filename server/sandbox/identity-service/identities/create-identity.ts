import { randomUUID } from 'node:crypto';
import { decodeJson, GoJsonError, goTypeOf, isObject } from '../../go/json.ts';
import { composeIdentity, type IdentityDraft } from './compose-identity.ts';
import { type Credential, type IdentityDocument, normalised, type VerifiableAddress } from './identity-document.ts';
import { malformed } from './identity-errors.ts';
import type { IdentitySchemas } from './identity-schemas.ts';
import { checkCredentialFields, importedCredentials } from './imported-credentials.ts';

/** The string members of a create request; unknown members are refused. */
const TEXTS = ['schema_id', 'state', 'external_id'] as const;
const OTHERS = [
  'traits',
  'credentials',
  'verifiable_addresses',
  'recovery_addresses',
  'metadata_public',
  'metadata_admin',
  'organization_id',
];

/** A create request with known members only; `traits`, `credentials` and metadata may be anything. */
export type CreateBody = Record<string, unknown> & { schema_id?: string; state?: string; external_id?: string };

/** @throws GoJsonError with the real decoder's message */
export function parseCreateBody(text: string): CreateBody {
  return asCreateBody(decodeJson(text));
}

export function asCreateBody(value: unknown): CreateBody {
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
  checkCredentialFields(value.credentials);
  return value;
}

/**
 * The identity described by a create request, with unvalidated traits.
 * @param at now, ISO 8601
 * @throws IdentityServiceError 400 for an unknown state or hash
 */
export async function draftIdentity(body: CreateBody, at: string): Promise<IdentityDraft> {
  const state = body.state || 'active';
  if (state !== 'active' && state !== 'inactive') throw malformed('identity state is not valid');
  const credentials: Record<string, Credential> = {};
  for (const [type, imported] of Object.entries(await importedCredentials(body.credentials)))
    credentials[type] = { type, ...imported, version: 0, created_at: at, updated_at: at };
  return {
    id: randomUUID(),
    ...(body.external_id ? { external_id: body.external_id } : {}),
    credentials,
    schema_id: body.schema_id ?? '',
    state,
    state_changed_at: at,
    traits: body.traits === undefined ? {} : body.traits,
    verifiable_addresses: givenAddresses(body.verifiable_addresses, at),
    recovery_addresses: [],
    metadata_public: body.metadata_public ?? null,
    metadata_admin: body.metadata_admin ?? null,
    created_at: at,
    organization_id: null,
  };
}

/** The drafted identity, not stored yet. @throws IdentityServiceError 400 with the schema violation */
export function newIdentity(draft: IdentityDraft, schemas: IdentitySchemas, at: string): IdentityDocument {
  const schema = schemas.ofIdentity(draft.schema_id);
  return composeIdentity({ ...draft, schema_id: schema.id }, schema, at);
}

/** Addresses that the request declares verified; those missing from the traits are dropped later. */
function givenAddresses(input: unknown, at: string): VerifiableAddress[] {
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
