import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { DASHBOARD_CLIENT_ID, registerDashboard } from './dashboard-client.js';
import { listenOnAll } from './http/listener.js';
import { clientStore } from './oauth-service/client-store.js';
import { OPERATORS } from './operators.js';
import { openSandboxDatabase } from './sandbox-database.js';
import { sandboxServices } from './sandbox-services.js';
import { seedSandbox } from './seeds/seed-sandbox.js';
import { OPERATOR_SCHEMA_ID, WORLDS } from './worlds.js';

const DEFAULT_PEOPLE = 1200;
const DEFAULT_SEED = 20_260_101;
/** The one file that holds a deployment's sandbox; deleting it starts over. */
export const sandboxFile = (dataDirectory, deployment) => join(dataDirectory, `sandbox-${deployment}.sqlite`);
/** Forgets everything the sandbox of that deployment holds; it must not be running. */
export function resetSandbox(dataDirectory, deployment) {
  const file = sandboxFile(dataDirectory, deployment);
  for (const suffix of ['', '-wal', '-shm']) rmSync(`${file}${suffix}`, { force: true });
}
/**
 * Starts a deployment's identity service and OAuth 2.0 server on loopback.
 * @throws in production, or when a port is taken
 */
export async function startSandbox(options) {
  if (options.production)
    throw new Error('The sandbox does not start in production: set AUTH_URL to a real OAuth 2.0 server.');
  const { deployment, dashboardUrl, now = Date.now } = options;
  const world = WORLDS[deployment];
  const listeners = await listenOnAll({ ...(options.ports ?? world.ports) });
  const database = openSandboxDatabase(sandboxFile(options.dataDirectory, deployment));
  const close = async () => {
    await listeners.close();
    database.close();
  };
  try {
    const { people = DEFAULT_PEOPLE, seed = DEFAULT_SEED } = options;
    await seedSandbox(database, { deployment, schemas: world.schemas, people, seed, now: now() });
    registerDashboard(clientStore(database), dashboardUrl, new Date(now()).toISOString());
    const services = await sandboxServices({
      deployment,
      database,
      schemas: world.schemas,
      urls: listeners.urls,
      dashboardUrl,
      apiKeys: options.apiKeys ?? {},
      accessTokenTtlSeconds: options.accessTokenTtlSeconds ?? 3600,
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
    close,
  };
}
function environmentOf(deployment, urls) {
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
