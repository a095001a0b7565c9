import { queryOptions } from '@tanstack/react-query';
import type { IdentityCredentials } from '../../shared/identity-credentials.ts';
import { identityAdmin } from './identities-prefix.ts';
import { request, send } from './request.ts';

/** An identity's credentials without their secrets. Served by the dashboard itself, not by the identity service. */
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

/** @param identifier selects one of several credentials of a type: `provider:subject` */
export async function deleteCredential(id: string, type: string, identifier: string | undefined): Promise<void> {
  const query = identifier === undefined ? '' : `?${new URLSearchParams({ identifier })}`;
  const path = `/identities/${encodeURIComponent(id)}/credentials/${encodeURIComponent(type)}`;
  await send(identityAdmin(path) + query, { method: 'DELETE' });
}
