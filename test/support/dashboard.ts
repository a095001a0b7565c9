import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import createKnex, { type Knex } from 'knex';
import { SYSTEM_CLOCK } from '../../server/context.ts';
import { parseDatabaseUrl } from '../../server/db/database-address.ts';
import { knexOptions } from '../../server/db/knex.ts';
import { WATCH_PACE, type WatchPace } from '../../server/features/services/service-watch.ts';
import { lockTable } from '../../server/launcher/lock-table.ts';
import { type Service, startService } from '../../server/process/service.ts';
import { OPERATOR_SCHEMA_ID } from '../../server/sandbox/deployment-settings.ts';
import type { SandboxOptions } from '../../server/sandbox/parts.ts';
import { sandboxFile, startSandbox } from '../../server/sandbox/start-sandbox.ts';
import { type Role, rolesWith } from '../../shared/capabilities.ts';
import type { Deployment } from '../../shared/upstreams.ts';
import { TEST_KEYS } from './context.ts';
import { DATABASE_FOLDER } from './databases.ts';
import { eventually } from './eventually.ts';
import {
  type CallOptions,
  CookieJar,
  callAt,
  openSignInPage,
  signInUpToCallback,
  submitSignIn,
  visit,
} from './http-sign-in.ts';
import { freePort } from './loopback.ts';
import { createIdentities, shareSigningKey } from './sandbox-fixture.ts';

export interface DashboardOptions {
  deployment?: Deployment;
  env?: NodeJS.ProcessEnv;
  sandbox?: Partial<SandboxOptions>;
  now?: () => number;
  monotonic?: () => number;
  /** When services are checked; never by default, so that they receive only the requests of the test. */
  watchPace?: WatchPace;
  /** Whether the sandbox's sign-in page locks accounts in the dashboard's database, as with `npm start`. */
  locks?: boolean;
  /** Whether the sign-in log is on, and the sandbox sends its events to it. */
  events?: boolean;
  /** Whether operators are read from the sandbox even if the upstreams are others. */
  storeFromSandbox?: boolean;
}

const EVENTS_KEY = 'events-key-of-the-tests-0123456789-abcdefghij';
/** The first check is due after the longest possible timer. */
const NEVER = { ...WATCH_PACE, firstMs: 2 ** 31 - 1 };

export type Dashboard = Awaited<ReturnType<typeof startDashboard>>;

/** Starts a dashboard with its own sandbox, database and keys, on free loopback ports. */
export async function startDashboard(options: DashboardOptions = {}) {
  const { deployment = 'customer' } = options;
  const directory = await mkdtemp(join(DATABASE_FOLDER, 'dashboard-'));
  const port = await freePort();
  const host = deployment === 'customer' ? 'localhost' : 'workforce.localhost';
  const baseUrl = options.env?.BASE_URL ?? `http://${host}:${port}`;
  const databaseUrl = options.env?.DATABASE_URL ?? `sqlite:${join(directory, 'dashboard.sqlite')}`;
  const locks = options.locks ? lockTable(databaseUrl) : undefined;
  shareSigningKey(sandboxFile(directory, deployment));
  const sandbox = await startSandbox({
    deployment,
    dataDirectory: directory,
    dashboardUrl: baseUrl,
    production: false,
    people: 0,
    locks,
    ports: { identityPublic: 0, identityAdmin: 0, oauthPublic: 0, oauthAdmin: 0 },
    roles: rolesWith(options.env?.EXTRA_ROLES?.split(',') ?? []),
    ...options.sandbox,
  });
  const adminUrl = sandbox.environment.IDENTITY_ADMIN_URL ?? sandbox.environment.IAM_IDENTITY_ADMIN_URL;
  const env: NodeJS.ProcessEnv = {
    ...TEST_KEYS,
    DEPLOYMENT: deployment,
    PORT: String(port),
    BASE_URL: baseUrl,
    DATABASE_URL: databaseUrl,
    // A slow machine must not reach the limit. Tests of the limit set their own.
    PROXY_TIMEOUT_MS: '60000',
    ...sandbox.environment,
    ...(options.events ? { EVENTS_PORT: '0', EVENTS_KEY } : {}),
    ...(options.storeFromSandbox ? { AUTH_IDENTITY_ADMIN_URL: adminUrl } : {}),
    ...options.env,
  };
  const logged: string[] = [];
  const start = async (variables: NodeJS.ProcessEnv): Promise<Service> => {
    const started = await startService(variables, {
      logTo: { write: (line) => void logged.push(line) },
      clock: { now: options.now ?? SYSTEM_CLOCK.now, monotonic: options.monotonic ?? SYSTEM_CLOCK.monotonic },
      watchPace: options.watchPace ?? NEVER,
      endTimes: { noticeMs: 0 },
    });
    if (options.events) sandbox.sendEventsTo({ url: `http://127.0.0.1:${started.eventsPort}`, key: EVENTS_KEY });
    return started;
  };
  const closeSandbox = async (): Promise<void> => {
    await sandbox.close();
    await locks?.close();
    await rm(directory, { recursive: true, force: true });
  };
  // An open sandbox would keep the process running.
  let service = await start(env).catch(async (error) => {
    await closeSandbox();
    throw error;
  });

  const operators = [...sandbox.operators];
  const operator = (role: Role): { email: string; password: string } =>
    operators.find((candidate) => candidate.role === role) ?? assert.fail(`no operator with the role ${role}`);
  async function addOperator(role: Role): Promise<void> {
    const [email, password] = [`${role}@example.com`, `sandbox-${role}`];
    const credentials = { password: { config: { password } } };
    const identity = { schema_id: OPERATOR_SCHEMA_ID, traits: { email, name: role, role }, credentials };
    await createIdentities(adminUrl ?? '', [identity]);
    operators.push({ email, password, role });
  }

  return {
    /** The address where it listens: `http://127.0.0.1:PORT`. */
    url: service.url,
    /** Its public origin: `http://localhost:PORT`. */
    baseUrl,
    port,
    env,
    sandbox,
    /** Log lines so far. */
    logged,
    operator,
    /** Signs in on the sandbox's page. @returns the value of `dashboard-session` */
    async signIn(role: Role): Promise<string> {
      if (!operators.some((present) => present.role === role)) await addOperator(role);
      const { callback, jar } = await signInUpToCallback(service.url, baseUrl, operator(role));
      const response = await visit(callback, jar);
      const location = response.headers.get('location');
      assert.equal(location, '/dashboard', `sign-in ended at ${location}`);
      return jar.get('dashboard-session') ?? assert.fail('the sign-in set no session cookie');
    },
    /** Signs in with a wrong password, or as nobody; with `events`, the attempt is in the sign-in log afterwards. */
    async failToSignIn(identifier: string): Promise<void> {
      const { pageUrl, provider } = await openSignInPage(service.url, new CookieJar());
      const response = await submitSignIn(pageUrl, provider, { identifier, password: 'wrong' });
      await response.text();
      await sandbox.flushEvents();
    },
    call: (path: string, callOptions?: CallOptions): Promise<Response> => callAt(service.url, path, callOptions),
    /** Stops and starts the service, but not the sandbox, with changed variables. */
    async restart(changed: NodeJS.ProcessEnv = {}): Promise<void> {
      await service.close();
      // The client's pool has to notice that its sockets were closed.
      await new Promise((resolve) => setTimeout(resolve, 20));
      service = await start({ ...env, ...changed });
    },
    async close(): Promise<void> {
      await service.close();
      await closeSandbox();
    },
  };
}

/** The same, with the session of an administrator. */
export async function startWithAdmin(options?: DashboardOptions) {
  const dashboard = await startDashboard(options);
  const admin = await dashboard.signIn('admin');
  const callAsAdmin = (path: string, callOptions?: CallOptions): Promise<Response> =>
    dashboard.call(path, { session: admin, ...callOptions });
  return { ...dashboard, admin, callAsAdmin };
}

export type Replica = Awaited<ReturnType<typeof startReplica>>;

/**
 * Starts a second service on the database, keys and services of a dashboard, as another process would.
 * @param options.watchPace when services are checked; as in production by default
 */
export async function startReplica(dashboard: Dashboard, options: { watchPace?: WatchPace } = {}) {
  const logged: string[] = [];
  const { url, close } = await startService(
    { ...dashboard.env, PORT: String(await freePort()) },
    { logTo: { write: (line) => void logged.push(line) }, ...options, endTimes: { noticeMs: 0 } },
  );
  return { url, logged, close, call: (path: string, options?: CallOptions) => callAt(url, path, options) };
}

/** How long the index may take to sync what a test needs. */
export const SYNC_TIMEOUT_MS = 120_000;

/**
 * Waits until the index has synced identities, clients and sessions. On a busy machine, a search gives up before that.
 * @param session of an administrator
 */
export const indexReady = ({ call }: Pick<Dashboard, 'call'>, session: string): Promise<void> =>
  eventually(
    async () => {
      const read = async (path: string): Promise<unknown> => (await call(path, { session })).json();
      const lists = ['/api/identities/search?page_size=1', '/api/oauth-clients/search?page_size=1'];
      const searches = (await Promise.all(lists.map(read))) as { index?: { complete: boolean } }[];
      const { truncated } = (await read('/api/session-locations')) as { truncated?: boolean };
      return [...searches.map(({ index }) => index?.complete), truncated];
    },
    [true, true, false],
    undefined,
    SYNC_TIMEOUT_MS,
  );

/** Access to a dashboard's database with knex alone, until `destroy`. */
export const knexOf = ({ env }: Pick<Dashboard, 'env'>): Knex =>
  createKnex(knexOptions(parseDatabaseUrl(env.DATABASE_URL ?? ''), { warn: () => {} }));

/** Locks accounts as the platform's login page would have done a minute ago. */
export async function lockAccounts(dashboard: Dashboard, identifiers: readonly string[]): Promise<void> {
  const knex = knexOf(dashboard);
  const rows = identifiers.map((identifier) => ({
    identifier,
    reason: 'wrong_password',
    attempts: 5,
    trigger_ip: '203.0.113.9',
    locked_at: new Date(Date.now() - 60_000).toISOString(),
    locked_until: new Date(Date.now() + 800_000).toISOString(),
  }));
  await knex('locked_accounts').insert(rows).onConflict('identifier').ignore();
  await knex.destroy();
}
