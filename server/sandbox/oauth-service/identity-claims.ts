import type { IdentityDocument } from '../identity-service/identities/identity-document.ts';

export function identityClaims(
  { traits, verifiable_addresses }: IdentityDocument,
  scopes: readonly string[],
): Record<string, unknown> {
  const email = { email: traits.email, email_verified: verifiable_addresses.some(({ verified }) => verified) };
  const profile = { name: fullName(traits.name), role: traits.role, traits };
  return { ...(scopes.includes('email') ? email : {}), ...(scopes.includes('profile') ? profile : {}) };
}

function fullName(name: unknown): string | undefined {
  if (typeof name === 'string') return name;
  if (typeof name !== 'object' || name === null) return undefined;
  return Object.values(name).join(' ') || undefined;
}
