import { queryOptions } from '@tanstack/react-query';
import type { IdentityCredentials } from '../../../../shared/identity-credentials.ts';
import { request, send } from '../../../api/request.ts';
import { identityAdmin } from '../../../api/upstream-api.ts';

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

/** A recovery code or link: shown once and never stored. */
export interface Recovery {
  recovery_link: string;
  recovery_code?: string;
  expires_at?: string;
}

/** @param expiresIn a duration in the identity service's format: `15m`, `24h` */
export const createRecovery = (kind: 'code' | 'link', id: string, expiresIn: string): Promise<Recovery> =>
  request<Recovery>(identityAdmin(`/recovery/${kind}`), {
    method: 'POST',
    body: { identity_id: id, expires_in: expiresIn },
  });
