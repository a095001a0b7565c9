import type { Capability, Role } from '../../shared/capabilities.ts';

/** What the contract gives every session, whatever its role. */
const EVERY_SESSION: readonly Capability[] = ['layout.own', 'session-locations.read', 'geo.read', 'services.read'];

interface RoleEntry {
  may: readonly Capability[] | 'everything';
  /** The pages of the navigation that are open to it, and the tabs of Security. */
  pages: readonly string[] | 'everything';
  tabs?: readonly string[];
}

/** THE TABLE OF ROLES: each role's rights and pages, said once more. The service and the app are held against it. */
export const ROLE_TABLE: Record<Role, RoleEntry> = {
  admin: { may: 'everything', pages: 'everything', tabs: ['Posture', 'Audit trail', 'Locked accounts', 'Operators'] },
  viewer: { may: ['statistics.read'], pages: ['Overview', 'System'] },
};

export function may(role: Role, capability: Capability): boolean {
  const granted = ROLE_TABLE[role].may;
  return granted === 'everything' || [...EVERY_SESSION, ...granted].includes(capability);
}
