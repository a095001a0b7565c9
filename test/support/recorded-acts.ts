import type { RecordedAct } from '../../client/audit/record-sentence.ts';

export const OPERATOR = '1f0c2a9b-7d1e-4a55-9e55-0a1b2c3d4e5f';
export const PERSON = '5f3e0a11-2b4c-4d6e-8f00-112233445566';

export const record = (told: Partial<RecordedAct>): RecordedAct => ({
  action: 'login',
  actor: OPERATOR,
  target: null,
  subject: null,
  details: {},
  ...told,
});
export const proxied = (
  method: string,
  path: string,
  status: number | null,
  about?: RecordedAct['subject'],
): RecordedAct =>
  record({
    action: 'proxy_write',
    target: path,
    subject: about ?? null,
    details: { method, status, peer: '10.0.0.7' },
  });
export const PERSON_PATH = `/api/identity-admin/admin/identities/${PERSON}`;
/** A write of these members. */
export const changing = (method: string, changed: string[], state?: string, status = 200): RecordedAct => ({
  ...proxied(method, PERSON_PATH, status, `identity:${PERSON}`),
  details: { method, status, peer: null, changed, ...(state !== undefined && { state }) },
});
export const changingClient = (changed: string[]): RecordedAct => ({
  ...proxied('PATCH', '/api/oauth-admin/admin/clients/shop', 200, 'client:shop'),
  details: { method: 'PATCH', status: 200, peer: null, changed },
});
