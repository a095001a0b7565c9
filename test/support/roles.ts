import type { Capability, Role } from '../../shared/capabilities.ts';

/** Granted to every session, whatever its role. */
export const EVERY_SESSION: readonly Capability[] = [
  'layout.own',
  'views.own',
  'session-locations.read',
  'geo.read',
  'services.read',
];

interface RoleEntry {
  may: readonly Capability[] | 'everything';
  /** Pages that it may open. */
  pages: readonly string[] | 'everything';
}

/** THE TABLE OF ROLES: what service and app must allow each role, independent of the product's own table. */
export const ROLE_TABLE: Record<Role, RoleEntry> = {
  admin: { may: 'everything', pages: 'everything' },
  viewer: { may: ['statistics.read'], pages: ['Overview', 'System'] },
};

export function may(role: Role, capability: Capability): boolean {
  const granted = ROLE_TABLE[role].may;
  return granted === 'everything' || [...EVERY_SESSION, ...granted].includes(capability);
}
