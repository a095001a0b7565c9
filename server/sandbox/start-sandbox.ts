import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Express } from 'express';
import type { SettingInput } from '../../shared/settings.ts';
import type { Deployment } from '../../shared/upstreams.ts';
import {
  DASHBOARD_CLIENT_ID,
  DEPLOYMENT_SETTINGS,
  OPERATOR_SCHEMA_ID,
  operatorsWith,
  type Ports,
  registerDashboard,
  schemasOf,
} from './deployment-settings.ts';
import { listenOnAll } from './http.ts';
import { adminService, publicService } from './identity-service/identity-service.ts';
import { oauthAdminService, oauthPublicService } from './oauth-service/oauth-service.ts';
import { createOpenidProvider } from './openid-provider.ts';
import { type SandboxOptions, type SandboxParts, sandboxParts } from './parts.ts';
import { openSandboxDatabase, type SandboxDatabase } from './sandbox-database.ts';
import { pastTraces } from './seeds/history.ts';
import { addExtraOperators, seedSandbox } from './seeds/seed-sandbox.ts';
import { type EventTarget, telemetry } from './telemetry.ts';

export type Sandbox = Awaited<ReturnType<typeof startSandbox>>;

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
export async function startSandbox(options: SandboxOptions) {
  if (options.production)
    throw new Error('The sandbox does not start in production: set AUTH_URL to a real OAuth 2.0 server.');
  const { deployment, dashboardUrl, now = Date.now } = options;
  const settings = DEPLOYMENT_SETTINGS[deployment];
  const listeners = await listenOnAll({ ...(options.ports ?? settings.ports) });
  const kratos = `kratos-${deployment}`;
  const events = telemetry(kratos, now);
  let database: SandboxDatabase | undefined;
  const close = async () => {
    events.close();
    await listeners.close();
    database?.close();
  };
  let exampleSettings: readonly SettingInput[];
  let parts: SandboxParts;
  try {
    database = openSandboxDatabase(sandboxFile(options.dataDirectory, deployment));
    parts = sandboxParts(database, listeners.urls, schemasOf(deployment, options.roles), options);
    exampleSettings = seedSandbox(parts, options.people ?? DEFAULT_PEOPLE, options.onProgress);
    addExtraOperators(parts);
    registerDashboard(parts.clients, dashboardUrl, parts.timestamp());
    const apps = Object.entries(await sandboxServices(parts));
    const serviceOf = (port: string) => (port.startsWith('oauth') ? 'hydra' : kratos);
    listeners.serve(Object.fromEntries(apps.map(([port, app]) => [port, events.traced(app, serviceOf(port))])));
  } catch (error) {
    await close();
    throw error;
  }
  return {
    /** The environment variables with which the service uses this sandbox. */
    environment: environmentOf(deployment, listeners.urls),
    operators: operatorsWith(parts.roles).map(({ email, password, role }) => ({ email, password, role })),
    /** Settings for the dashboard's database; empty unless the sandbox is new. */
    exampleSettings,
    /** Reports what happens here to the listener at this address; and first, of a new sandbox, a month of events. */
    sendEventsTo: (target: EventTarget) => events.sendTo(target, pastTraces(parts, kratos)),
    /** Resolves when what was reported so far has been sent. */
    flushEvents: events.flush,
    close,
  };
}

export async function sandboxServices(parts: SandboxParts): Promise<Record<keyof Ports, Express>> {
  const provider = await createOpenidProvider(parts);
  return {
    identityPublic: publicService(parts),
    identityAdmin: adminService(parts),
    oauthPublic: oauthPublicService(parts, provider),
    oauthAdmin: oauthAdminService(parts),
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
