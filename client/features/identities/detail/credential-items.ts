import type { IdentityCredential } from '../../../../shared/identity-credentials.ts';

/** A sign-in at a provider is deleted by itself, any other type as a whole. */
export interface CredentialItem {
  credential: IdentityCredential;
  /** Undefined for the whole type. */
  identifier: string | undefined;
}

/** Types of which an identity may have several, told apart by their identifier. */
const SEVERAL = new Set(['oidc', 'saml', 'deviceauthn']);

/** Those that can be used. */
export const credentialItems = (credentials: readonly IdentityCredential[]): CredentialItem[] =>
  credentials
    .filter(({ set }) => set)
    .flatMap((credential): CredentialItem[] =>
      SEVERAL.has(credential.type) && credential.identifiers.length > 0
        ? credential.identifiers.map((identifier) => ({ credential, identifier }))
        : [{ credential, identifier: undefined }],
    );

export const isThere = (items: readonly CredentialItem[], { credential, identifier }: CredentialItem): boolean =>
  items.some((item) => item.credential.type === credential.type && item.identifier === identifier);
