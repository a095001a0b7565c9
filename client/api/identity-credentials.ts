import { queryOptions } from '@tanstack/react-query';
import type { IdentityCredential, IdentityCredentials } from '../../shared/identity-credentials.ts';
import { METHODS } from '../lib/session-labels.ts';
import { capitalised } from '../lib/visible-text.ts';
import { request } from './request.ts';

/** Credentials without their secrets. The dashboard's own server returns them, not Kratos. */
export const identityCredentialsQuery = (id: string) =>
  queryOptions({
    queryKey: ['identity-credentials', id],
    queryFn: async ({ signal }) => {
      const path = `/api/identities/${encodeURIComponent(id)}/credentials`;
      return (await request<IdentityCredentials>(path, { signal })).credentials;
    },
    retry: false,
  });

/** The unit of deletion: a single identifier, or a whole credential type. */
export interface CredentialItem {
  credential: IdentityCredential;
  /** For social sign-in, `provider:subject`; undefined for the whole type. */
  identifier: string | undefined;
}

/** What `second-factors.remove` covers. */
export const SECOND_FACTORS = new Set(['totp', 'lookup_secret', 'webauthn']);

const SEVERAL = new Set(['oidc', 'saml', 'deviceauthn']);

export const credentialItems = (credentials: readonly IdentityCredential[]): CredentialItem[] =>
  credentials
    .filter(({ set }) => set)
    .flatMap((credential): CredentialItem[] =>
      SEVERAL.has(credential.type) && credential.identifiers.length > 0
        ? credential.identifiers.map((identifier) => ({ credential, identifier }))
        : [{ credential, identifier: undefined }],
    );

export const credentialName = (type: string): string => capitalised(METHODS.get(type) ?? '') || type;
