/** What an operator may do: what one would grant apart. A route, a proxy and a page each name theirs. */
export const CAPABILITIES = [
  /** Arrange the overview, each operator their own. */
  'layout.own',
  /** Where people are signed in, without addresses and identities. */
  'session-locations.read',
  'geo.read',
  'services.read',
  /** The overview's numbers. */
  'statistics.read',
  /** Find people; whole records come from the upstreams. */
  'identities.read',
  /** What the admin APIs hold: identities, sessions, messages, clients, consents. */
  'upstreams.read',
  /** Every request to an admin API that is no mere reading: introspection is a POST. */
  'upstreams.write',
  /** Secrets in plain text as well. */
  'settings.read',
  'settings.write',
  'configuration.read',
  'posture.read',
  'audit.read',
  'locks.read',
  'locks.write',
  /** Who they are, and what the ids in the trail are called. */
  'operators.read',
  'operators.write',
  /** Paths that peers could read in two ways, and those below `/api/security` that do not exist. */
  'paths.any',
] as const;
export type Capability = (typeof CAPABILITIES)[number];

/** What each role may do because it has a session; a role's own row says what else. */
const EVERY_SESSION: readonly Capability[] = ['layout.own', 'session-locations.read', 'geo.read', 'services.read'];

interface Grant {
  /** On screens; with an `s` it stands for all of them. */
  name: string;
  may: readonly Capability[] | 'all';
}

/** THE TABLE OF ACCESS: each role as `traits.role` spells it, what it is called, and what it may do. */
const GRANTS = {
  admin: { name: 'Administrator', may: 'all' },
  viewer: { name: 'Viewer', may: ['statistics.read'] },
} as const satisfies Record<string, Grant>;

export type Role = keyof typeof GRANTS;
export const ROLES = Object.keys(GRANTS) as readonly Role[];

export const can = (role: Role, capability: Capability): boolean => {
  const { may }: Grant = GRANTS[role];
  return may === 'all' || may.includes(capability) || EVERY_SESSION.includes(capability);
};

export const roleName = (role: Role): string => GRANTS[role].name;

/** Who has one of these, to go on a sentence: "administrators and viewers". */
export const holdersOf = (anyOf: readonly Capability[]): string =>
  ROLES.filter((role) => anyOf.some((capability) => can(role, capability)))
    .map((role) => `${roleName(role).toLowerCase()}s`)
    .join(' and ');
