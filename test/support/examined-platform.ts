import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import type { Database } from '../../server/db/database.ts';
import { type Diagnosed, type Diagnosis, diagnose } from '../../server/doctor/doctor.ts';
import { startService } from '../../server/process/service.ts';
import { parseSetupArguments, setUp } from '../../server/setup/setup.ts';
import { silentLog } from './context.ts';
import type { TestDatabases } from './databases.ts';
import { type FaultingUpstream, startFaultingUpstream } from './faulting-upstream.ts';
import { freePort } from './free-port.ts';
import { CookieJar, signInUpToCallback, visit } from './http-sign-in.ts';
import { type SandboxFixture, sandboxFixture } from './sandbox-fixture.ts';

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

export async function examinedPlatform(key = PLATFORM_KEY): Promise<ExaminedPlatform> {
  const sandbox = await sandboxFixture({ apiKeys: { identityAdmin: key, oauthAdmin: key } });
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

export const ADMIN = 'first@example.com';

/** The command on a platform without operators and without the dashboard's client, new for each test. */
interface SetupRun {
  platform: ExaminedPlatform;
  /** Where its file of variables is written. */
  folder: string;
  /** Empty: `--file` is not given. */
  envFile: string;
  /** Holds the key of the admin ports. */
  keyFile: string;
  baseUrl: string;
  databaseUrl: string;
  /** The environment that it runs in. */
  given: NodeJS.ProcessEnv;
  run(...args: string[]): Promise<{ exitCode: number; lines: string[] }>;
  rowOf(ran: { lines: string[] }, title: string): string;
  /** What its file holds. */
  environment(): Record<string, string>;
  /** Every write that reached a service, as method and path. */
  wrote(): string[];
  asAdmin<T>(service: 'identityAdmin' | 'oauthAdmin', method: string, path: string): Promise<T>;
  /** Removes all operators and the client, and forgets what was asked. */
  empty(): Promise<void>;
  /** Sets the password by what `setup` printed, and signs in to a service in that environment. @returns the role */
  roleSignedInWith(lines: readonly string[], env: NodeJS.ProcessEnv): Promise<string>;
}

async function asAdmin<T>(
  { sandbox }: ExaminedPlatform,
  key: string,
  service: 'identityAdmin' | 'oauthAdmin',
  method: string,
  path: string,
): Promise<T> {
  const response = await fetch(sandbox.url(service) + path, { method, headers: { authorization: `Bearer ${key}` } });
  const text = await response.text();
  return (text === '' ? undefined : JSON.parse(text)) as T;
}

/** Removes all operators and the client, and forgets what was asked. */
export async function emptied(platform: ExaminedPlatform, key = PLATFORM_KEY): Promise<void> {
  for (const { id } of await asAdmin<{ id: string }[]>(platform, key, 'identityAdmin', 'GET', '/admin/identities'))
    await asAdmin(platform, key, 'identityAdmin', 'DELETE', `/admin/identities/${id}`);
  await asAdmin(platform, key, 'oauthAdmin', 'DELETE', '/admin/clients/dashboard');
  for (const service of Object.values(platform.services)) service.calm();
}

export function setupRun(databases: TestDatabases): SetupRun {
  const own = {
    empty: () => emptied(own.platform),
    asAdmin: (service, method, path) => asAdmin(own.platform, PLATFORM_KEY, service, method, path),
    async roleSignedInWith(lines, env) {
      const text = lines.join('\n');
      const password = 'a password of the first';
      const [, link = ''] = /^\s+(http\S+)$/m.exec(text) ?? [];
      const [, code = ''] = /Code: (\S+)/.exec(text) ?? [];
      const jar = new CookieJar();
      await visit(link, jar);
      const set = await visit(link, jar, {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams({ code, password }).toString(),
      });
      assert.equal(set.status, 200);
      const service = await startService({ ...env, AUTH_INTERNAL_URL: env.AUTH_URL }, { logTo: { write: () => {} } });
      try {
        const signedIn = await signInUpToCallback(service.url, own.baseUrl, { email: ADMIN, password });
        assert.equal((await visit(signedIn.callback, signedIn.jar)).status, 302);
        const session = await visit(`${service.url}/api/auth/session`, signedIn.jar);
        return ((await session.json()) as { user: { role: string } }).user.role;
      } finally {
        await service.close();
      }
    },
    async run(...args) {
      const lines: string[] = [];
      const keys = ['--key', `identity-admin=${own.keyFile}`, '--key', `oauth-admin=${own.keyFile}`];
      const file = own.envFile === '' ? [] : ['--file', own.envFile];
      const request = parseSetupArguments([...file, '--admin', ADMIN, ...keys, ...args]);
      assert.ok(request);
      const print = (line: string): void => void lines.push(line);
      return { exitCode: await setUp(own.given, request, { log: silentLog, now: Date.now, print }), lines };
    },
    rowOf: ({ lines }, title) => lines.find((line) => line.includes(` ${title}: `)) ?? assert.fail(`no row ${title}`),
    environment: () => parseEnv(readFileSync(own.envFile, 'utf8')) as Record<string, string>,
    wrote: () =>
      Object.values(own.platform.services).flatMap(({ seen }) =>
        seen.filter(({ method }) => method !== 'GET').map(({ method, path }) => `${method} ${path}`),
      ),
  } as SetupRun;
  beforeEach(async () => {
    own.platform = await examinedPlatform();
    await own.empty();
    own.folder = mkdtempSync(join(tmpdir(), 'setup-'));
    own.envFile = join(own.folder, 'customer.env');
    own.keyFile = join(own.folder, 'key.txt');
    writeFileSync(own.keyFile, `${PLATFORM_KEY}\n`);
    const port = await freePort();
    own.baseUrl = `http://localhost:${port}`;
    own.databaseUrl = await databases.create();
    const { SESSION_SIGNING_KEY, ENCRYPTION_KEY, OAUTH_CLIENT_ID, OPERATOR_SCHEMA_IDS, ...addresses } =
      own.platform.env(own.databaseUrl);
    own.given = { ...addresses, BASE_URL: own.baseUrl, PORT: String(port), HOSTNAME: 'not one of ours' };
  });
  afterEach(async () => {
    await own.platform.close();
    rmSync(own.folder, { recursive: true });
  });
  return own;
}
