import type { IdentityCredential } from '../../../../shared/identity-credentials.ts';

/** What is deleted at once: a single identifier of a provider, or all of another type. */
export interface CredentialItem {
  credential: IdentityCredential;
  /** Undefined for the whole type. */
  identifier: string | undefined;
}

/** Types that an identity may have several of, distinguished by identifier. */
const SEVERAL = new Set(['oidc', 'saml', 'deviceauthn']);

/** The credentials that are set up. */
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
