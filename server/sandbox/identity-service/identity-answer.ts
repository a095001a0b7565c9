import type { Credential, IdentityDocument } from './identity-document.ts';

/**
 * An identity as the service answers it: empty address lists and, unless expanded, credentials are left out.
 * @param publicUrl the public port's base address, without trailing slash
 */
export function identityAnswer(
  identity: IdentityDocument,
  publicUrl: string,
  options: { credentials: boolean; includeConfig?: readonly string[] } = { credentials: false },
): Record<string, unknown> {
  const { id, external_id, credentials, schema_id, state, state_changed_at, traits, ...rest } = identity;
  const { verifiable_addresses, recovery_addresses, ...others } = rest;
  return {
    id,
    ...(external_id ? { external_id } : {}),
    ...(options.credentials ? { credentials: withoutSecrets(credentials, options.includeConfig ?? []) } : {}),
    schema_id,
    schema_url: `${publicUrl}/schemas/${Buffer.from(schema_id).toString('base64url')}`,
    state,
    state_changed_at,
    traits,
    ...(verifiable_addresses.length > 0 ? { verifiable_addresses } : {}),
    ...(recovery_addresses.length > 0 ? { recovery_addresses } : {}),
    ...others,
  };
}

function withoutSecrets(credentials: Record<string, Credential>, included: readonly string[]): Record<string, unknown> {
  const answers: Record<string, unknown> = {};
  for (const [type, { config, ...credential }] of Object.entries(credentials))
    answers[type] = included.includes(type) ? { ...credential, config } : credential;
  return answers;
}
