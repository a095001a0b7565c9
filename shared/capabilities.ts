/** What an operator may do. Every route, proxy and page names the capability that it requires. */
export const CAPABILITIES = [
  /** Customise one's own overview. */
  'layout.own',
  /** Save one's own views of lists. */
  'views.own',
  /** See the locations of sessions, without addresses or identities. */
  'session-locations.read',
  'geo.read',
  'services.read',
  'statistics.read',
  /** Search for identities; whole records need `upstreams.read`. */
  'identities.read',
  /** Read identities, sessions, messages, clients and consents from the admin APIs. */
  'upstreams.read',
  /** Every other request to an admin API, including introspection, which is a POST. */
  'upstreams.write',
  /** Values of encrypted settings as ciphertext. */
  'settings.read',
  /** See encrypted values in plain text, and those of earlier versions. */
  'settings.decrypt',
  'settings.write',
  'configuration.read',
  'posture.read',
  'audit.read',
  'locks.read',
  'locks.write',
  'sign-ins.read',
  /** When OAuth2 clients were last used. */
  'client-usage.read',
  /** Also names the operators in the audit trail. */
  'operators.read',
  'operators.write',
  /** Ambiguous paths, and unknown paths below `/api/security`. */
  'paths.any',
] as const;
export type Capability = (typeof CAPABILITIES)[number];

/** Granted to every role, in addition to its row in `GRANTS`. */
const EVERY_SESSION: readonly Capability[] = [
  'layout.own',
  'views.own',
  'session-locations.read',
  'geo.read',
  'services.read',
];

interface Grant {
  /** Shown to operators; the plural adds an `s`. */
  name: string;
  may: readonly Capability[] | 'all';
}

/** Where Kratos stores an operator's role. Nobody can change their own `metadata_admin`. */
export const ROLE_SOURCES = ['traits.role', 'metadata_admin.role'] as const;
export type RoleSource = (typeof ROLE_SOURCES)[number];

/** The access table: every role, by its value in the identity. Use `can`. */
export const GRANTS = {
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

/** The roles with any of these capabilities, in words: "administrators and viewers". */
export const holdersOf = (anyOf: readonly Capability[]): string =>
  ROLES.filter((role) => anyOf.some((capability) => can(role, capability)))
    .map((role) => `${roleName(role).toLowerCase()}s`)
    .join(' and ');
