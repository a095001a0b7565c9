import { randomUUID } from 'node:crypto';
import { isObject } from '../go/json.js';
import { malformed } from './identity-errors.js';
import { traitsProblem } from './identity-validation.js';
import { deriveFromTraits } from './schema-extension.js';
/**
 * Checks a draft against its schema and lets identifiers and addresses follow the traits. An address that stays
 * keeps its id and its verification.
 * @param at the time of the change, ISO 8601
 * @throws IdentityServiceError 400 that names what the schema refuses
 */
export function composeIdentity(draft, { schema }, at) {
  const { traits, state } = draft;
  const problem = traitsProblem(schema, traits);
  if (problem !== undefined || !isObject(traits)) throw malformed(problem ?? 'traits must be an object');
  if (state !== 'active' && state !== 'inactive') throw malformed('identity state is not valid');
  const derived = deriveFromTraits(schema, traits);
  const credentials = {};
  for (const [type, credential] of Object.entries(draft.credentials))
    if (type !== 'password' && type !== 'code') credentials[type] = credential;
  for (const [type, identifiers] of [
    ['password', derived.passwordIdentifiers],
    ['code', derived.codeIdentifiers],
  ]) {
    const before = draft.credentials[type];
    if (identifiers.length === 0 && before === undefined) continue;
    credentials[type] = {
      type,
      config: {},
      version: 0,
      created_at: at,
      ...before,
      identifiers: [...identifiers],
      updated_at: at,
    };
  }
  return {
    ...draft,
    traits,
    state,
    credentials,
    verifiable_addresses: derived.verifiable.map((value) => {
      const before = draft.verifiable_addresses.find((address) => address.value === value);
      return before ? settled(before, at) : { ...newAddress(value, at), verified: false, status: 'pending' };
    }),
    recovery_addresses: derived.recovery.map(
      (value) => draft.recovery_addresses.find((address) => address.value === value) ?? newAddress(value, at),
    ),
    updated_at: at,
  };
}
const newAddress = (value, at) => ({
  id: randomUUID(),
  value,
  via: 'email',
  created_at: at,
  updated_at: at,
});
function settled(address, at) {
  const { verified_at, ...rest } = address;
  return address.verified ? { ...rest, verified_at: verified_at ?? at } : rest;
}
