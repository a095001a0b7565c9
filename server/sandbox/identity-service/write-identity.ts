import { randomUUID } from 'node:crypto';
import { isObject, isUuid } from '../../../shared/json.ts';
import { applyPatch, JsonError, parseJson, parsePatch, uuidProblem, wrongType } from '../formats.ts';
import { checkCredentialFields, hasPlainPassword, importedCredentials } from './credentials.ts';
import { badDisguised, IdentityServiceError, malformed } from './errors.ts';
import {
  type Credential,
  type IdentityDocument,
  type IdentityStore,
  normalised,
  type RecoveryAddress,
  type VerifiableAddress,
} from './identities.ts';
import { deriveFromTraits, IDENTIFIER_TYPES, type IdentitySchema, schemaOf, traitsProblem } from './schemas.ts';

/** An identity as requested: traits may be anything, and identifiers and addresses may not match them yet. */
export type IdentityDraft = Omit<IdentityDocument, 'traits' | 'updated_at'> & { traits: unknown };

/**
 * Validates a draft against its schema and derives identifiers and addresses from the traits. An address that remains
 * keeps its id and its verification.
 * @param at the time of the change, ISO 8601
 * @throws IdentityServiceError 400 with the schema violation
 */
export function composeIdentity(draft: IdentityDraft, { schema }: IdentitySchema, at: string): IdentityDocument {
  const { traits } = draft;
  const problem = traitsProblem(schema, traits);
  if (problem !== undefined || !isObject(traits)) throw malformed(problem ?? 'traits must be an object');
  const derived = deriveFromTraits(schema, traits);
  const credentials: Record<string, Credential> = { ...draft.credentials };
  for (const type of IDENTIFIER_TYPES) {
    const before = draft.credentials[type];
    const identifiers = derived.identifiers[type];
    // Security keys keep their identifiers even if the schema names none.
    if (identifiers.length === 0 && (before === undefined || type === 'webauthn')) continue;
    credentials[type] = { type, config: {}, version: 0, created_at: at, ...before, identifiers, updated_at: at };
  }
  return {
    ...draft,
    traits,
    credentials,
    verifiable_addresses: derived.verifiable.map((value) => {
      const before = draft.verifiable_addresses.find((address) => address.value === value);
      if (before === undefined) return { ...newAddress(value, at), verified: false, status: 'pending' as const };
      const { verified_at, ...rest } = before;
      return before.verified ? { ...rest, verified_at: verified_at ?? at } : rest;
    }),
    recovery_addresses: derived.recovery.map(
      (value) => draft.recovery_addresses.find((address) => address.value === value) ?? newAddress(value, at),
    ),
    updated_at: at,
  };
}

const newAddress = (value: string, at: string): RecoveryAddress => ({
  id: randomUUID(),
  value,
  via: 'email',
  created_at: at,
  updated_at: at,
});

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

/** @throws JsonError with the real decoder's message */
export function asCreateBody(value: unknown): CreateBody {
  if (value === null) return {};
  if (!isObject(value)) throw wrongType(value, 'value of type identity.CreateIdentityBody');
  for (const [name, member] of Object.entries(value)) {
    if (TEXTS.some((text) => text === name)) {
      if (member !== null && typeof member !== 'string')
        throw wrongType(member, `struct field CreateIdentityBody.${name} of type string`);
    } else if (!OTHERS.includes(name)) throw new JsonError(`json: unknown field "${name}"`);
  }
  checkCredentialFields(value.credentials);
  return value;
}

/**
 * The identity described by a create request, with unvalidated traits.
 * @param at now, ISO 8601
 * @throws IdentityServiceError 400 for an unknown state or hash
 */
export function draftIdentity(body: CreateBody, at: string): IdentityDraft {
  const state = body.state || 'active';
  if (state !== 'active' && state !== 'inactive') throw malformed('identity state is not valid');
  const credentials: Record<string, Credential> = {};
  for (const [type, imported] of Object.entries(importedCredentials(body.credentials)))
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
export function newIdentity(draft: IdentityDraft, schemas: readonly IdentitySchema[], at: string): IdentityDocument {
  const schema = schemaOf(schemas, draft.schema_id);
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

const MAX_ITEMS = 1000;
const MAX_PLAIN_PASSWORDS = 200;

/**
 * `PATCH /admin/identities`: each item succeeds or fails on its own, in order; the response is 200 regardless.
 * @returns the response's body
 * @throws IdentityServiceError 400 for the whole batch if it contains an unknown state or hash; 409 if exactly one
 * identity is valid and that one conflicts
 */
export function createBatch(
  text: string,
  identities: IdentityStore,
  schemas: readonly IdentitySchema[],
  at: string,
): { identities: unknown[] } {
  const items = parseBatch(text);
  const passwords = items.filter(({ create }) => hasPlainPassword(create?.credentials)).length;
  const maximum = 'The maximum number of identities per request that can be created';
  if (items.length > MAX_ITEMS) throw malformed(`${maximum} or deleted at once is ${MAX_ITEMS}.`);
  if (passwords > MAX_PLAIN_PASSWORDS)
    throw malformed(`${maximum} with a plaintext password is ${MAX_PLAIN_PASSWORDS}.`);
  const drafts = items.map(({ create }) => create && draftIdentity(create, at));
  const outcomes = drafts.map((draft) => draft && outcomeOf(() => newIdentity(draft, schemas, at)));
  const valid = outcomes.filter((outcome) => outcome !== undefined && 'value' in outcome).length;
  const results = outcomes.map((outcome, index) => {
    if (outcome === undefined) return null;
    const patch_id = items[index]?.patchId;
    if ('error' in outcome) return { action: 'error', patch_id, error: outcome.error.members };
    const inserted = outcomeOf(() => identities.insert(outcome.value));
    if ('value' in inserted) return { action: 'create', identity: outcome.value.id, patch_id };
    if (valid === 1) throw inserted.error;
    return { action: 'error', patch_id, error: inserted.error.members };
  });
  return { identities: results };
}

function outcomeOf<T>(make: () => T): { value: T } | { error: IdentityServiceError } {
  try {
    return { value: make() };
  } catch (error) {
    if (error instanceof IdentityServiceError) return { error };
    throw error;
  }
}

function parseBatch(text: string) {
  try {
    const body = parseJson(text);
    if (!isObject(body)) throw wrongType(body, 'value of type identity.BatchPatchIdentitiesBody');
    const { identities = [] } = body;
    if (!Array.isArray(identities))
      throw wrongType(
        identities,
        'struct field BatchPatchIdentitiesBody.identities of type []*identity.BatchIdentityPatch',
      );
    return identities.map(parseItem);
  } catch (error) {
    throw error instanceof JsonError ? badDisguised(error.message) : error;
  }
}

/** @returns `create`: undefined if the item requests nothing and results in null */
function parseItem(item: unknown) {
  if (!isObject(item)) return { patchId: undefined, create: undefined };
  const { patch_id, create } = item;
  if (typeof patch_id === 'string' && !isUuid(patch_id)) throw new JsonError(uuidProblem(patch_id));
  return {
    patchId: typeof patch_id === 'string' ? patch_id : undefined,
    create: create === undefined || create === null ? undefined : asCreateBody(create),
  };
}

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
  const draft: IdentityDraft = {
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
