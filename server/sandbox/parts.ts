import { type Role, rolesWith } from '../../shared/capabilities.ts';
import type { Deployment } from '../../shared/upstreams.ts';
import type { Ports } from './deployment-settings.ts';
import { courierOn } from './identity-service/courier.ts';
import { identityStore } from './identity-service/identities.ts';
import type { IdentitySchema } from './identity-service/schemas.ts';
import { sessionStore } from './identity-service/sessions.ts';
import { clientStore } from './oauth-service/clients.ts';
import { consentStore } from './oauth-service/consents.ts';
import { idTokens, issuedTokens } from './oauth-service/tokens.ts';
import { type SandboxDatabase, sandboxSecrets } from './sandbox-database.ts';

/** The dashboard's table of locked accounts. Identifiers are normalised, times ISO 8601. */
export interface LockTable {
  isLocked(identifier: string, at: string): Promise<boolean>;
  lock(row: { identifier: string; attempts: number; ip: string | null; at: string; until: string }): Promise<void>;
}

export interface SandboxOptions {
  deployment: Deployment;
  /** The folder of `sandbox-<deployment>.sqlite`. */
  dataDirectory: string;
  /** The dashboard's public origin; operators are redirected to its `/api/auth/callback`. */
  dashboardUrl: string;
  /** If true, the sandbox refuses to start: it is not secure. */
  production: boolean;
  /** 0 for any free port. Default: 4433, 4434, 4444, 4445, plus 1000 for the workforce. */
  ports?: Ports;
  /** How many people a new sandbox contains in addition to the operators; 0 omits clients and messages as well. */
  people?: number;
  /** Called after each tenth of the people of a new sandbox has been stored. */
  onProgress?: (stored: number, all: number) => unknown;
  /** Bearer keys required by the admin ports. */
  apiKeys?: { identityAdmin?: string; oauthAdmin?: string };
  /** The table in which the sign-in page locks accounts; if absent, no account is ever locked. */
  locks?: LockTable;
  /** The operators' roles; by default those without EXTRA_ROLES. */
  roles?: readonly Role[];
  /** Redacts message subjects and bodies, as Kratos does outside of development. */
  redactMessages?: boolean;
  /** If false, the readiness checks of both services fail. */
  ready?: () => boolean;
  now?: () => number;
}

export type SandboxParts = ReturnType<typeof sandboxParts>;

/**
 * What the services and pages of a sandbox share. Its URLs have no trailing slash.
 * @param schemas the first is the default for new identities
 */
export function sandboxParts(
  database: SandboxDatabase,
  urls: Record<keyof Ports, string>,
  schemas: readonly [IdentitySchema, ...IdentitySchema[]],
  options: Omit<SandboxOptions, 'dataDirectory' | 'production'>,
) {
  const { deployment, dashboardUrl, apiKeys = {}, locks, redactMessages = false } = options;
  const { roles = rolesWith([]), ready = () => true, now = Date.now } = options;
  const secrets = sandboxSecrets(database);
  return {
    database,
    secrets,
    deployment,
    roles,
    schemas,
    apiKeys,
    locks,
    redactMessages,
    ready,
    now,
    timestamp: () => new Date(now()).toISOString(),
    /** The identity service's ports. */
    publicUrl: urls.identityPublic,
    adminUrl: urls.identityAdmin,
    /** The OAuth server's public port, which also has the pages for people. */
    issuer: urls.oauthPublic,
    loginUrl: `${dashboardUrl}/api/auth/login`,
    messagesUrl: `${dashboardUrl}/messages`,
    identities: identityStore(database),
    sessions: sessionStore(database, now),
    courier: courierOn(database, now),
    clients: clientStore(database),
    consents: consentStore(database),
    issued: issuedTokens(database, now),
    idTokens: idTokens(urls.oauthPublic, secrets.signingKey),
  };
}
