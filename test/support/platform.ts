import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseEnv } from 'node:util';
import Sqlite from 'better-sqlite3';
import type { Knex } from 'knex';
import { type Diagnosed, type Diagnosis, diagnose } from '../../server/checks/doctor.ts';
import { parseSetupArguments, setUp } from '../../server/checks/setup.ts';
import { parseConfig } from '../../server/config/parse-config.ts';
import { SYSTEM_CLOCK } from '../../server/context.ts';
import type { Database } from '../../server/db/database.ts';
import { createDeps, type Deps } from '../../server/deps.ts';
import { startService } from '../../server/process/service.ts';
import type { PostureCheck, PostureId, PostureStatus } from '../../shared/security.ts';
import { silentLog } from './context.ts';
import { type Dashboard, knexOf, startDashboard } from './dashboard.ts';
import type { TestDatabases } from './databases.ts';
import { type FaultingUpstream, startFaultingUpstream } from './faulting-upstream.ts';
import { CookieJar, signInUpToCallback, visit } from './http-sign-in.ts';
import { freePort } from './loopback.ts';
import { startSandboxFixture } from './sandbox-fixture.ts';

const SERVICES = {
  identity: 'IDENTITY_URL',
  identityAdmin: 'IDENTITY_ADMIN_URL',
  oauth: 'AUTH_INTERNAL_URL',
  oauthAdmin: 'OAUTH_ADMIN_URL',
} as const;
export type ServiceName = keyof typeof SERVICES;

/** The checks that only a service with an OpenID provider or with the sign-in log has. */
export const OPTIONAL_CHECKS: readonly string[] = ['operators_from', 'operator_roles', 'session_length', 'sign_in_log'];

/** The key that the admin ports require. */
export const ADMIN_PORT_KEY = 'the-key-of-the-admin-ports';
/** Keys that are random enough to pass every check. */
export const PRODUCTION_KEYS = {
  SESSION_SIGNING_KEY: createHash('sha256').update('sessions').digest('base64'),
  ENCRYPTION_KEY: createHash('sha256').update('encryption').digest('base64'),
};

export type Platform = Awaited<ReturnType<typeof startPlatform>>;

/** Starts a platform whose admin ports require a key, and whose services can be made to fail. */
export async function startPlatform(key = ADMIN_PORT_KEY) {
  const sandbox = await startSandboxFixture({ apiKeys: { identityAdmin: key, oauthAdmin: key } });
  const names = Object.keys(SERVICES) as ServiceName[];
  const started = names.map(async (name) => {
    const service = await startFaultingUpstream();
    service.target = sandbox.url(name);
    return [name, service] as const;
  });
  const services = Object.fromEntries(await Promise.all(started)) as Record<ServiceName, FaultingUpstream>;
  return {
    sandbox,
    services,
    /** An environment in production for the platform, with this database. */
    env: (databaseUrl: string): NodeJS.ProcessEnv => ({
      ...PRODUCTION_KEYS,
      NODE_ENV: 'production',
      BASE_URL: 'http://localhost:3000',
      DATABASE_URL: databaseUrl,
      PROXY_REQUIRE_SESSION: 'true',
      ...sandbox.sandbox().environment,
      OAUTH_URL: sandbox.url('oauth'),
      ...Object.fromEntries(names.map((name) => [SERVICES[name], services[name].url])),
    }),
    async close(): Promise<void> {
      await Promise.all(Object.values(services).map((service) => service.close()));
      await sandbox.close();
    },
  };
}

/** What `doctor` reports in an environment. */
export const diagnosisIn = (env: NodeJS.ProcessEnv, options: { quick?: boolean } = {}): Promise<Diagnosis> =>
  diagnose(env, { connects: true, ...options });

export const checkIn = ({ checks }: Diagnosis, id: string): Diagnosed | undefined =>
  checks.find((check) => check.id === id);

/** The rows of all tables as one text. */
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

export const FIRST_ADMIN = 'first@example.com';

async function asAdmin<T>(
  { sandbox }: Platform,
  key: string,
  service: 'identityAdmin' | 'oauthAdmin',
  method: string,
  path: string,
): Promise<T> {
  const response = await fetch(sandbox.url(service) + path, { method, headers: { authorization: `Bearer ${key}` } });
  const text = await response.text();
  return (text === '' ? undefined : JSON.parse(text)) as T;
}

/** Removes all operators, the dashboard's client, recorded requests and faults. */
export async function emptyPlatform(platform: Platform, key = ADMIN_PORT_KEY): Promise<void> {
  for (const { id } of await asAdmin<{ id: string }[]>(platform, key, 'identityAdmin', 'GET', '/admin/identities'))
    await asAdmin(platform, key, 'identityAdmin', 'DELETE', `/admin/identities/${id}`);
  await asAdmin(platform, key, 'oauthAdmin', 'DELETE', '/admin/clients/dashboard');
  for (const service of Object.values(platform.services)) service.reset();
}

/** For a suite: the command `setup` on a platform without operators and without the dashboard's client, new for each test. */
export function setupOfSuite(databases: TestDatabases) {
  const own = {
    platform: {} as Platform,
    /** The folder of the file of variables. */
    folder: '',
    /** The path of the file of variables; an empty one leaves out `--file`. */
    envFile: '',
    /** The argument `--admin`; an empty one leaves it out. */
    admin: '',
    /** The path of the file with the key of the admin ports. */
    keyFile: '',
    baseUrl: '',
    databaseUrl: '',
    /** The environment that the command runs in. */
    variables: {} as NodeJS.ProcessEnv,
    empty: (): Promise<void> => emptyPlatform(own.platform),
    callAdmin: <T>(service: 'identityAdmin' | 'oauthAdmin', method: string, path: string): Promise<T> =>
      asAdmin<T>(own.platform, ADMIN_PORT_KEY, service, method, path),
    /** Sets the password by the printed link and code, and signs in at this address. @returns the role */
    async roleAt(url: string, text: string, email = FIRST_ADMIN): Promise<string> {
      const password = 'a password of the first';
      const [, link = ''] = /^\s+(http\S+)$/m.exec(text) ?? [];
      const [, code = ''] = /Code: (\S+)/.exec(text) ?? [];
      const jar = new CookieJar();
      await visit(link, jar);
      const response = await visit(link, jar, {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams({ code, password }).toString(),
      });
      assert.equal(response.status, 200);
      const signedIn = await signInUpToCallback(url, own.baseUrl, { email, password });
      assert.equal((await visit(signedIn.callback, signedIn.jar)).status, 302);
      const session = await visit(`${url}/api/auth/session`, signedIn.jar);
      return ((await session.json()) as { user: { role: string } }).user.role;
    },
    /** Signs in to a service in that environment. @returns the role */
    async roleAfterSignIn(lines: readonly string[], env: NodeJS.ProcessEnv): Promise<string> {
      const service = await startService({ ...env, AUTH_INTERNAL_URL: env.AUTH_URL }, { logTo: { write: () => {} } });
      try {
        return await own.roleAt(service.url, lines.join('\n'));
      } finally {
        await service.close();
      }
    },
    async run(...args: string[]): Promise<{ exitCode: number; lines: string[] }> {
      const lines: string[] = [];
      const keys = ['--key', `identity-admin=${own.keyFile}`, '--key', `oauth-admin=${own.keyFile}`];
      const file = own.envFile === '' ? [] : ['--file', own.envFile];
      const admin = own.admin === '' ? [] : ['--admin', own.admin];
      const request = parseSetupArguments([...file, ...admin, ...keys, ...args]);
      assert.ok(request);
      const print = (line: string): void => void lines.push(line);
      return { exitCode: await setUp(own.variables, request, { log: silentLog, print }), lines };
    },
    /** The printed line of a step. */
    lineOf: ({ lines }: { lines: string[] }, title: string): string =>
      lines.find((line) => line.includes(` ${title}: `)) ?? assert.fail(`no row ${title}`),
    /** The variables in the written file. */
    environment: () => parseEnv(readFileSync(own.envFile, 'utf8')) as Record<string, string>,
    /** Every write that reached a service, as method and path. */
    writes: (): string[] =>
      Object.values(own.platform.services).flatMap(({ requests }) =>
        requests.filter(({ method }) => method !== 'GET').map(({ method, path }) => `${method} ${path}`),
      ),
  };
  beforeEach(async () => {
    own.platform = await startPlatform();
    await own.empty();
    own.folder = mkdtempSync(join(tmpdir(), 'setup-'));
    own.envFile = join(own.folder, 'customer.env');
    own.admin = FIRST_ADMIN;
    own.keyFile = join(own.folder, 'key.txt');
    writeFileSync(own.keyFile, `${ADMIN_PORT_KEY}\n`);
    const port = await freePort();
    own.baseUrl = `http://localhost:${port}`;
    own.databaseUrl = await databases.create();
    const { SESSION_SIGNING_KEY, ENCRYPTION_KEY, OAUTH_CLIENT_ID, OPERATOR_SCHEMA_IDS, ...addresses } =
      own.platform.env(own.databaseUrl);
    own.variables = {
      ...addresses,
      BASE_URL: own.baseUrl,
      PORT: String(port),
      HOSTNAME: 'a variable of something else',
    };
  });
  afterEach(async () => {
    await own.platform.close();
    rmSync(own.folder, { recursive: true });
  });
  return own;
}

interface PostureAt {
  env: NodeJS.ProcessEnv;
  /** The service's clock at its start; the current time by default. */
  now?: number;
  /** Runs after the start, before the checks. */
  afterStart?: (deps: Deps) => Promise<void>;
}

/** Starts the service without a port, on a real database and real services, and runs the checks once. @returns one of them */
export async function postureAt({ env, now, afterStart }: PostureAt): Promise<(id: PostureId) => PostureCheck> {
  const startedAt = Date.now();
  const clock = { ...SYSTEM_CLOCK, ...(now !== undefined && { now: () => now + Date.now() - startedAt }) };
  const deps = await createDeps(parseConfig(env), silentLog, { clock });
  try {
    await afterStart?.(deps);
    const { checks } = await deps.posture.read();
    return (id) => checks.find((check) => check.id === id) ?? assert.fail(`no check named ${id}`);
  } finally {
    await deps.close();
  }
}

/** The status of one check, whose texts must be complete sentences. */
export async function checkStatus(id: PostureId, at: PostureAt): Promise<PostureStatus> {
  const { status, title, detail, why, action } = (await postureAt(at))(id);
  for (const text of [title, detail, why, action]) assert.match(text, /^[A-Z/].*[.a-z]$/s);
  return status;
}

/** For a suite: a deployment with the session of an administrator, new for each test. */
export function deploymentWithAdmin() {
  const own = {
    dashboard: {} as Dashboard,
    knex: {} as Knex,
    session: '',
    /** The status of a check when the service starts with these changes. */
    statusOf: (id: PostureId, { env = {}, ...rest }: Partial<PostureAt> = {}): Promise<PostureStatus> =>
      checkStatus(id, { env: { ...own.dashboard.env, ...env }, ...rest }),
  };
  beforeEach(async () => {
    own.dashboard = await startDashboard();
    own.session = await own.dashboard.signIn('admin');
    own.knex = knexOf(own.dashboard);
  });
  afterEach(async () => {
    await own.knex.destroy();
    await own.dashboard.close();
  });
  return own;
}

export const HOUR = 3_600_000;
export const DAY = 24 * HOUR;
/** An address where nothing listens. */
export const NOWHERE = 'http://127.0.0.1:9';

export function randomKey(): string {
  for (;;) {
    const key = randomBytes(32).toString('base64');
    // A random key may contain a word that marks a placeholder.
    if (!/change|example|secret|test|your-/i.test(key)) return key;
  }
}

/** Writes credentials into the sandbox's database, as a person does by registering a second factor. */
export function sandboxCredentials({ env }: Dashboard) {
  const directory = dirname(String(env.DATABASE_URL).slice('sqlite:'.length));
  const database = new Sqlite(join(directory, `sandbox-${env.DEPLOYMENT}.sqlite`), { fileMustExist: true });
  const update = database.prepare(
    "update identities set document = json_set(document, '$.credentials.' || ?, json(?)) where id = ?",
  );
  return {
    set(identityId: string, type: string, config: Record<string, unknown>): void {
      const at = '2026-01-01T00:00:00Z';
      const credential = { type, identifiers: [identityId], config, version: 0, created_at: at, updated_at: at };
      const { changes } = update.run(type, JSON.stringify(credential), identityId);
      if (changes !== 1) throw new Error('the sandbox has no such identity');
    },
    close: () => database.close(),
  };
}
