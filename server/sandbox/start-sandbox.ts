import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Express } from 'express';
import type { SettingInput } from '../../shared/settings.ts';
import type { Deployment } from '../../shared/upstreams.ts';
import {
  DASHBOARD_CLIENT_ID,
  DEPLOYMENT_SETTINGS,
  OPERATOR_SCHEMA_ID,
  OPERATORS,
  type Operator,
  type Ports,
  registerDashboard,
} from './deployment-settings.ts';
import { listenOnAll } from './http.ts';
import { courierOn } from './identity-service/courier.ts';
import { adminService, publicService } from './identity-service/identity-service.ts';
import { identityStore } from './identity-service/identity-store.ts';
import type { IdentitySchema } from './identity-service/schemas.ts';
import { sessionStore } from './identity-service/sessions.ts';
import { clientStore } from './oauth-service/clients.ts';
import { consentStore } from './oauth-service/consents.ts';
import { oauthAdminService, oauthPublicService } from './oauth-service/oauth-service.ts';
import { idTokens, issuedTokens } from './oauth-service/tokens.ts';
import { createOpenidProvider } from './openid-provider.ts';
import { STYLESHEET_PATH, stylesheet } from './page.ts';
import { addRecoveryPages, flowStore } from './recovery.ts';
import { openSandboxDatabase, type SandboxDatabase, sandboxSecrets } from './sandbox-database.ts';
import { seedSandbox } from './seeds/seed-sandbox.ts';
import { addSignInPage, type LockTable, lockingSignIn, passwordSignIn, startAgainPage } from './sign-in.ts';

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
  /** Bearer keys required by the admin ports. */
  apiKeys?: { identityAdmin?: string; oauthAdmin?: string };
  /** The table in which the sign-in page locks accounts; if absent, no account is ever locked. */
  locks?: LockTable;
  /** Redacts message subjects and bodies, as Kratos does outside of development. */
  redactMessages?: boolean;
  /** If false, the readiness checks of both services fail. */
  ready?: () => boolean;
  now?: () => number;
}

export interface Sandbox {
  /** The environment variables with which the service uses this sandbox. */
  environment: Record<string, string>;
  operators: readonly Operator[];
  /** Settings for the dashboard's database; empty unless the sandbox is new. */
  exampleSettings: readonly SettingInput[];
  close(): Promise<void>;
}

const DEFAULT_PEOPLE = 1200;

/** The single file of a deployment's sandbox; deleting it resets the sandbox. */
export const sandboxFile = (dataDirectory: string, deployment: Deployment): string =>
  join(dataDirectory, `sandbox-${deployment}.sqlite`);

/** Deletes all data of a deployment's sandbox, which must not be running. */
export function resetSandbox(dataDirectory: string, deployment: Deployment): void {
  const file = sandboxFile(dataDirectory, deployment);
  for (const suffix of ['', '-wal', '-shm']) rmSync(`${file}${suffix}`, { force: true });
}

/**
 * Starts a deployment's identity service and OAuth 2.0 server on loopback.
 * @throws in production, or if a port is in use
 */
export async function startSandbox(options: SandboxOptions): Promise<Sandbox> {
  if (options.production)
    throw new Error('The sandbox does not start in production: set AUTH_URL to a real OAuth 2.0 server.');
  const { deployment, dashboardUrl, now = Date.now } = options;
  const settings = DEPLOYMENT_SETTINGS[deployment];
  const listeners = await listenOnAll({ ...(options.ports ?? settings.ports) });
  const database = openSandboxDatabase(sandboxFile(options.dataDirectory, deployment));
  const close = async () => {
    await listeners.close();
    database.close();
  };
  let exampleSettings: readonly SettingInput[];
  try {
    exampleSettings = await seedSandbox(database, {
      deployment,
      schemas: settings.schemas,
      people: options.people ?? DEFAULT_PEOPLE,
      issuer: listeners.urls.oauthPublic,
      now: now(),
    });
    registerDashboard(clientStore(database), dashboardUrl, new Date(now()).toISOString());
    listeners.serve(await sandboxServices(database, listeners.urls, settings.schemas, options));
  } catch (error) {
    await close();
    throw error;
  }
  return {
    environment: environmentOf(deployment, listeners.urls),
    operators: OPERATORS.map(({ email, password, role }) => ({ email, password, role })),
    exampleSettings,
    close,
  };
}

/**
 * The apps of the four ports.
 * @param urls the base URL of each port, without trailing slash
 * @param schemas the first is the default for new identities
 */
export async function sandboxServices(
  database: SandboxDatabase,
  urls: Record<keyof Ports, string>,
  schemas: readonly [IdentitySchema, ...IdentitySchema[]],
  options: Omit<SandboxOptions, 'dataDirectory' | 'production'>,
): Promise<Record<keyof Ports, Express>> {
  const { deployment, dashboardUrl, apiKeys = {}, locks, redactMessages = false } = options;
  const { ready = () => true, now = Date.now } = options;
  const issuer = urls.oauthPublic;
  const secrets = sandboxSecrets(database);
  const { signingKey } = secrets;
  const [identities, sessions] = [identityStore(database), sessionStore(database, now)];
  const [courier, flows] = [courierOn(database, now), flowStore(database, now)];
  const [clients, consents, issued] = [clientStore(database), consentStore(database), issuedTokens(database, now)];
  const timestamp = () => new Date(now()).toISOString();
  const loginUrl = `${dashboardUrl}/api/auth/login`;
  const messagesUrl = `${dashboardUrl}/messages`;
  const errorPage = (problem: string) => startAgainPage(deployment, loginUrl, problem);
  const addresses = { publicUrl: urls.identityPublic, pagesUrl: issuer };
  const shared = { issuer, identities, clients, consents, issued, timestamp, ready, now };
  const provider = await createOpenidProvider({ ...shared, secrets, database, errorPage });

  const addPages = (app: Express): void => {
    app.get(STYLESHEET_PATH, (_req, res) => void res.type('css').send(stylesheet(deployment)));
    addRecoveryPages(app, { deployment, flows, identities, courier, loginUrl, messagesUrl, timestamp });
    const signIn = lockingSignIn(passwordSignIn(identities, sessions, now), locks, now);
    addSignInPage(app, { deployment, provider, signIn, loginUrl, hints: OPERATORS.map(({ email }) => email) });
  };
  return {
    identityPublic: publicService({ ...shared, ...addresses, schemas }),
    identityAdmin: adminService({
      ...shared,
      ...addresses,
      adminUrl: urls.identityAdmin,
      sessions,
      schemas,
      courier,
      flows,
      redactMessages,
      apiKey: apiKeys.identityAdmin,
    }),
    oauthPublic: oauthPublicService({
      ...shared,
      addPages,
      provider,
      idTokens: idTokens(issuer, signingKey),
      signingKey,
    }),
    oauthAdmin: oauthAdminService({ ...shared, apiKey: apiKeys.oauthAdmin }),
  };
}

function environmentOf(deployment: Deployment, urls: Record<keyof Ports, string>): Record<string, string> {
  const prefix = deployment === 'customer' ? '' : 'IAM_';
  return {
    AUTH_URL: urls.oauthPublic,
    AUTH_INTERNAL_URL: urls.oauthPublic,
    OAUTH_CLIENT_ID: DASHBOARD_CLIENT_ID,
    OPERATOR_SCHEMA_IDS: OPERATOR_SCHEMA_ID,
    OAUTH_URL: urls.oauthPublic,
    OAUTH_ADMIN_URL: urls.oauthAdmin,
    [`${prefix}IDENTITY_URL`]: urls.identityPublic,
    [`${prefix}IDENTITY_ADMIN_URL`]: urls.identityAdmin,
  };
}
