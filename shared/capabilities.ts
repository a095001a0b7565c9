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
  /** Search for and read identities, and their schemas. */
  'identities.read',
  /** Activate and deactivate identities. */
  'identities.state',
  /** Send people the link of Kratos' own recovery. */
  'identities.recover',
  /** Read the notes on people. */
  'notes.read',
  /** Write notes; change one's own. */
  'notes.write',
  /** Delete an authenticator app, backup codes or security keys. */
  'second-factors.remove',
  'sessions.read',
  'sessions.end',
  /** Messages to people, without subjects and bodies, which contain codes. */
  'messages.read',
  /** OAuth2 clients, with trusted issuers and when each client was last used. */
  'clients.read',
  'consents.read',
  'consents.revoke',
  /** Every other request to an admin API, reads included, and any request to that of the other deployment. */
  'upstreams.write',
  /** Values of encrypted settings as ciphertext. */
  'settings.read',
  /** See encrypted values in plain text, and those of earlier versions. */
  'settings.decrypt',
  'settings.write',
  'configuration.read',
  'posture.read',
  /** The audit records about one identity. */
  'timeline.read',
  'audit.read',
  'locks.read',
  'locks.write',
  'sign-ins.read',
  /** The names of operators, which the audit trail and timelines show. */
  'operators.names',
  'operators.read',
  /** End operators' sessions, and act on their identities. */
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

const SUPPORT_READS = [
  'statistics.read',
  'identities.read',
  'sessions.read',
  'messages.read',
  'notes.read',
  'consents.read',
  'timeline.read',
  'locks.read',
  'sign-ins.read',
  'operators.names',
] as const satisfies readonly Capability[];

/**
 * The access table: every role, by its value in the identity, and those that may do more first. Use `can`. What a role
 * without `upstreams.write` may do at an admin API is limited by `server/gate/admin-acts.ts` as well.
 */
export const GRANTS = {
  admin: { name: 'Administrator', may: 'all' },
  support: {
    name: 'Support engineer',
    may: [
      ...SUPPORT_READS,
      'identities.state',
      'identities.recover',
      'notes.write',
      'second-factors.remove',
      'sessions.end',
      'consents.revoke',
      'locks.write',
    ],
  },
  auditor: {
    name: 'Auditor',
    may: [...SUPPORT_READS, 'clients.read', 'configuration.read', 'posture.read', 'audit.read', 'operators.read'],
  },
  viewer: { name: 'Viewer', may: ['statistics.read'] },
} as const satisfies Record<string, Grant>;

export type Role = keyof typeof GRANTS;
/** All roles; those of this installation are in the configuration and, in the app, in `client/deployment.ts`. */
export const ROLES = Object.keys(GRANTS) as readonly Role[];
/** Roles that exist only where EXTRA_ROLES names them. */
export const EXTRA_ROLES = ['support', 'auditor'] as const satisfies readonly Role[];
export const isExtraRole = (name: string): boolean => EXTRA_ROLES.some((role) => role === name);

/** The roles of an installation, those that may do more first. */
export const rolesWith = (extra: readonly string[]): readonly Role[] =>
  ROLES.filter((role) => extra.includes(role) || !isExtraRole(role));

export const can = (role: Role, capability: Capability): boolean => {
  const { may }: Grant = GRANTS[role];
  return may === 'all' || may.includes(capability) || EVERY_SESSION.includes(capability);
};

export const roleName = (role: Role): string => GRANTS[role].name;

/** Those of the roles with any of these capabilities, in words: "administrators, auditors and viewers". */
export const holdersOf = (anyOf: readonly Capability[], roles: readonly Role[]): string =>
  new Intl.ListFormat('en-GB').format(
    roles
      .filter((role) => anyOf.some((capability) => can(role, capability)))
      .map((role) => `${roleName(role).toLowerCase()}s`),
  );
