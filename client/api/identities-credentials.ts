import { queryOptions } from '@tanstack/react-query';
import type { IdentityCredentials } from '../../shared/identity-credentials.ts';
import { identityAdmin } from './identities-prefix.ts';
import { request, send } from './request.ts';

/** What an identity can sign in with, without what is secret about it: our own answer, not the identity service's. */
export const identityCredentialsQuery = (id: string) =>
  queryOptions({
    queryKey: ['identity-credentials', id],
    queryFn: async ({ signal }) => {
      const { credentials } = await request<IdentityCredentials>(
        `/api/identities/${encodeURIComponent(id)}/credentials`,
        { signal },
      );
      return credentials;
    },
    retry: false,
  });

/** @param identifier names one of several sign-ins of a type: `provider:subject` */
export async function deleteCredential(id: string, type: string, identifier: string | undefined): Promise<void> {
  const query = identifier === undefined ? '' : `?${new URLSearchParams({ identifier })}`;
  const path = `/identities/${encodeURIComponent(id)}/credentials/${encodeURIComponent(type)}`;
  await send(identityAdmin(path) + query, { method: 'DELETE' });
}
