import type { Credential } from '../../../api/identities-record.ts';

/** A sign-in at a provider is deleted by itself, any other type as a whole. */
export interface CredentialItem {
  type: string;
  credential: Credential;
  /** Undefined for the whole type. */
  identifier: string | undefined;
}

/** Types of which an identity may have several, told apart by their identifier. */
const SEVERAL = new Set(['oidc', 'saml', 'deviceauthn']);

export function credentialItems(credentials: Record<string, Credential> = {}): CredentialItem[] {
  return Object.entries(credentials).flatMap(([type, credential]): CredentialItem[] => {
    const identifiers = credential.identifiers ?? [];
    if (!SEVERAL.has(type) || identifiers.length === 0) return [{ type, credential, identifier: undefined }];
    return identifiers.toSorted().map((identifier) => ({ type, credential, identifier }));
  });
}
