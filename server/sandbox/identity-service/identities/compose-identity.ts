import { randomUUID } from 'node:crypto';
import { isObject } from '../../go/json.ts';
import type { Credential, IdentityDocument, RecoveryAddress, VerifiableAddress } from './identity-document.ts';
import { malformed } from './identity-errors.ts';
import { traitsProblem } from './identity-validation.ts';
import { deriveFromTraits, IDENTIFIER_TYPES, type IdentitySchema } from './schema-extension.ts';

/** An identity as requested: traits may be anything, and identifiers and addresses may not match them yet. */
export type IdentityDraft = Omit<IdentityDocument, 'traits' | 'state' | 'updated_at'> & {
  traits: unknown;
  state: string;
};

/**
 * Validates a draft against its schema and derives identifiers and addresses from the traits. An address that remains
 * keeps its id and its verification.
 * @param at the time of the change, ISO 8601
 * @throws IdentityServiceError 400 with the schema violation
 */
export function composeIdentity(draft: IdentityDraft, { schema }: IdentitySchema, at: string): IdentityDocument {
  const { traits, state } = draft;
  const problem = traitsProblem(schema, traits);
  if (problem !== undefined || !isObject(traits)) throw malformed(problem ?? 'traits must be an object');
  if (state !== 'active' && state !== 'inactive') throw malformed('identity state is not valid');
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
    state,
    credentials,
    verifiable_addresses: derived.verifiable.map((value) => {
      const before = draft.verifiable_addresses.find((address) => address.value === value);
      return before ? settled(before, at) : { ...newAddress(value, at), verified: false, status: 'pending' as const };
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

function settled(address: VerifiableAddress, at: string): VerifiableAddress {
  const { verified_at, ...rest } = address;
  return address.verified ? { ...rest, verified_at: verified_at ?? at } : rest;
}
