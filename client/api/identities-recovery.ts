import { identityAdmin } from './identities-prefix.ts';
import { request } from './request.ts';

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
