import type { Capability } from '../../../shared/capabilities.ts';

/** The page that a widget summarises, with the filter that makes it show the same data. */
export interface Destination {
  to: string;
  search?: Record<string, string>;
  needs: Capability;
}

export const IDENTITIES: Destination = { to: '/identities', needs: 'identities.read' };
/** People who are found like this; the members are the list's search parameters. */
export const identitiesWith = (
  search: { schema: string } | { verified: 'yes' | 'no' } | { created: string },
): Destination => ({ ...IDENTITIES, search });
/** People who were created on local days, `2026-01-31`, the first and the last of which count. */
export const identitiesCreated = (from: string, to: string): Destination =>
  identitiesWith({ created: `${from}..${to}` });
export const SESSIONS: Destination = { to: '/sessions', needs: 'upstreams.read' };
export const ACTIVE_SESSIONS: Destination = { ...SESSIONS, search: { active: 'true' } };
export const CLIENTS: Destination = { to: '/oauth/clients', needs: 'upstreams.read' };
export const SYSTEM: Destination = { to: '/system', needs: 'services.read' };
export const POSTURE: Destination = { to: '/security', needs: 'posture.read' };
export const CHANGES: Destination = { to: '/security/audit', search: { changes: 'true' }, needs: 'audit.read' };
export const LOCKED_ACCOUNTS: Destination = { to: '/security/locked-accounts', needs: 'locks.read' };
