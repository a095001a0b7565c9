import { rmSync } from 'node:fs';
import { join } from 'node:path';
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
import { clientStore } from './oauth-service/clients.ts';
import { openSandboxDatabase } from './sandbox-database.ts';
import { sandboxServices } from './sandbox-services.ts';
import { seedSandbox } from './seeds/seed-sandbox.ts';
import type { LockTable } from './sign-in.ts';

export interface SandboxOptions {
  deployment: Deployment;
  /** Where `sandbox-<deployment>.sqlite` is kept. */
  dataDirectory: string;
  /** The dashboard's public origin; operators are redirected to its `/api/auth/callback`. */
  dashboardUrl: string;
  /** If true, the sandbox refuses to start: it is not secure. */
  production: boolean;
  /** 0 for any free port. Default: 4433, 4434, 4444, 4445, plus 1000 for the workforce. */
  ports?: Ports;
  /** How many people a new sandbox contains besides the operators; 0 omits clients and messages, too. */
  people?: number;
  /** The same seed creates the same people. */
  seed?: number;
  /** Bearer keys required by the admin ports. */
  apiKeys?: { identityAdmin?: string; oauthAdmin?: string };
  accessTokenTtlSeconds?: number;
  /** Where the sign-in page locks accounts; if absent, none is ever locked. */
  locks?: LockTable;
  /** Redacts message subjects and bodies, as Kratos does outside of development. */
  redactMessages?: boolean;
  /** If false, the readiness checks of both services fail. */
  ready?: () => boolean;
  /** Milliseconds since the epoch. */
  now?: () => number;
}

export interface Sandbox {
  /** The environment variables with which the service uses this sandbox. */
  environment: Record<string, string>;
  operators: readonly Operator[];
  /** Of a new sandbox, for the dashboard's database; none of one that was there before. */
  exampleSettings: readonly SettingInput[];
  close(): Promise<void>;
}

const DEFAULT_PEOPLE = 1200;
const DEFAULT_SEED = 20_260_101;

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
    const { people = DEFAULT_PEOPLE, seed = DEFAULT_SEED } = options;
    const issuer = listeners.urls.oauthPublic;
    exampleSettings = await seedSandbox(database, {
      deployment,
      schemas: settings.schemas,
      people,
      seed,
      issuer,
      now: now(),
    });
    registerDashboard(clientStore(database), dashboardUrl, new Date(now()).toISOString());
    const services = await sandboxServices({
      deployment,
      database,
      schemas: settings.schemas,
      urls: listeners.urls,
      dashboardUrl,
      apiKeys: options.apiKeys ?? {},
      accessTokenTtlSeconds: options.accessTokenTtlSeconds ?? 3600,
      locks: options.locks,
      redactMessages: options.redactMessages ?? false,
      ready: options.ready ?? (() => true),
      hints: OPERATORS.map(({ email }) => email),
      now,
    });
    listeners.serve(services);
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
