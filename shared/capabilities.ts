import { ROLES, type Role } from './session.ts';

/** What an operator may do. The service decides by role at each route; the app asks here what to offer. */
export type Capability =
  | 'identities.read'
  | 'identities.write'
  | 'clients.read'
  | 'clients.write'
  | 'consents.read'
  | 'consents.write'
  | 'settings.read'
  | 'settings.write'
  | 'configuration.read'
  | 'sessions.read'
  | 'sessions.write'
  | 'messages.read'
  | 'schemas.read'
  | 'security.read'
  | 'security.write';

/** Each role, what it is called, and what it may do. */
const GRANTS: Record<Role, { name: string; plural: string; may: readonly Capability[] | 'everything' }> = {
  admin: { name: 'Administrator', plural: 'administrators', may: 'everything' },
  viewer: { name: 'Viewer', plural: 'viewers', may: [] },
};

export const can = (role: Role, capability: Capability): boolean => {
  const { may } = GRANTS[role];
  return may === 'everything' || may.includes(capability);
};

export const roleName = (role: Role): string => GRANTS[role].name;

/** Whose capability it is, to go on a sentence: "administrators". */
export const holdersOf = (capability: Capability): string =>
  ROLES.filter((role) => can(role, capability))
    .map((role) => GRANTS[role].plural)
    .join(' and ');
