import { createHash } from 'node:crypto';
import type { Database } from '../../server/db/database.ts';
import { type Diagnosed, type Diagnosis, diagnose } from '../../server/doctor/diagnose.ts';
import { type FaultingUpstream, startFaultingUpstream } from './faulting-upstream.ts';
import { type SandboxFixture, sandboxFixture } from './sandbox-fixture.ts';
import { silentLog } from './silent-log.ts';

const SERVICES = {
  identity: 'IDENTITY_URL',
  identityAdmin: 'IDENTITY_ADMIN_URL',
  oauth: 'AUTH_INTERNAL_URL',
  oauthAdmin: 'OAUTH_ADMIN_URL',
} as const;
export type ServiceName = keyof typeof SERVICES;

/** The key that the admin ports ask for. */
export const PLATFORM_KEY = 'the-key-of-the-admin-ports';
/** Random enough for every check. */
export const OWN_KEYS = {
  SESSION_SIGNING_KEY: createHash('sha256').update('sessions').digest('base64'),
  ENCRYPTION_KEY: createHash('sha256').update('encryption').digest('base64'),
};

/** A platform whose admin ports ask for a key, and whose services can lie, be silent, or be away. */
export interface ExaminedPlatform {
  sandbox: SandboxFixture;
  services: Record<ServiceName, FaultingUpstream>;
  /** An environment of production for it, on a database. */
  env(databaseUrl: string): NodeJS.ProcessEnv;
  close(): Promise<void>;
}

export async function examinedPlatform(): Promise<ExaminedPlatform> {
  const sandbox = await sandboxFixture({ apiKeys: { identityAdmin: PLATFORM_KEY, oauthAdmin: PLATFORM_KEY } });
  const services = Object.fromEntries(
    await Promise.all(
      (Object.keys(SERVICES) as ServiceName[]).map(async (name) => {
        const service = await startFaultingUpstream();
        service.target = sandbox.url(name);
        return [name, service] as const;
      }),
    ),
  ) as ExaminedPlatform['services'];
  return {
    sandbox,
    services,
    env: (databaseUrl) => ({
      ...OWN_KEYS,
      NODE_ENV: 'production',
      BASE_URL: 'http://localhost:3000',
      DATABASE_URL: databaseUrl,
      PROXY_REQUIRE_SESSION: 'true',
      ...sandbox.sandbox().environment,
      OAUTH_URL: sandbox.url('oauth'),
      ...Object.fromEntries(
        (Object.keys(SERVICES) as ServiceName[]).map((name) => [SERVICES[name], services[name].url]),
      ),
    }),
    async close() {
      await Promise.all(Object.values(services).map((service) => service.close()));
      await sandbox.close();
    },
  };
}

export const examined = (env: NodeJS.ProcessEnv): Promise<Diagnosis> =>
  diagnose(env, { connects: true, log: silentLog, now: Date.now });

export const checkIn = ({ checks }: Diagnosis, id: string): Diagnosed | undefined =>
  checks.find((check) => check.id === id);

/** Everything that is in a database, as one text. */
export async function contentOf({ client, knex }: Database): Promise<string> {
  const tables: string[] =
    client === 'sqlite'
      ? await knex('sqlite_master').where({ type: 'table' }).orderBy('name').pluck('name')
      : await knex('information_schema.tables')
          .whereRaw('table_schema = database()')
          .orderBy('table_name')
          .pluck('table_name');
  const rows = await Promise.all(tables.map(async (table) => [table, await knex(table)]));
  return JSON.stringify(rows);
}
