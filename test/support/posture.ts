import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { dirname, join } from 'node:path';
import Sqlite from 'better-sqlite3';
import createKnex, { type Knex } from 'knex';
import { parseConfig } from '../../server/config/parse-config.ts';
import { SYSTEM_CLOCK } from '../../server/context.ts';
import { parseDatabaseUrl } from '../../server/db/database-address.ts';
import { knexOptions } from '../../server/db/knex.ts';
import { createDeps, type Deps } from '../../server/deps.ts';
import type { PostureCheck, PostureId, PostureStatus } from '../../shared/security.ts';
import { silentLog } from './context.ts';
import { type Dashboard, startDashboard } from './dashboard.ts';

/** What the service finds when it starts in this environment, at this time. */
interface PostureAt {
  env: NodeJS.ProcessEnv;
  now?: number;
  /** Done after the start, before the checks run. */
  first?: (deps: Deps) => Promise<void>;
}

/** Starts the service, without its port, on real databases and services, and looks once. */
export async function postureAt({ env, now, first }: PostureAt): Promise<(id: PostureId) => PostureCheck> {
  const began = Date.now();
  const clock = { ...SYSTEM_CLOCK, ...(now !== undefined && { now: () => now + Date.now() - began }) };
  const deps = await createDeps(parseConfig(env), silentLog, { clock });
  try {
    await first?.(deps);
    const { checks } = await deps.posture.read();
    return (id) => checks.find((check) => check.id === id) ?? assert.fail(`no check named ${id}`);
  } finally {
    await deps.close();
  }
}

/** Waits until the audit trail is verified. */
export async function trailVerified({ chain }: Deps): Promise<void> {
  while ((await chain.state()).status === 'checking');
}

/** What one check found; its texts are whole sentences. */
export async function foundBy(id: PostureId, at: PostureAt): Promise<PostureStatus> {
  const { status, title, detail, why, action } = (await postureAt(at))(id);
  for (const text of [title, detail, why, action]) assert.match(text, /^[A-Z/].*[.a-z]$/s);
  return status;
}

/** A deployment of its own for each test of a suite, with its administrator signed in. */
interface ExaminedDeployment {
  dashboard: Dashboard;
  knex: Knex;
  /** The administrator's. */
  session: string;
  /** What a check finds when the service starts in that environment, at that time. */
  statusOf(id: PostureId, change?: Partial<PostureAt>): Promise<PostureStatus>;
}

export function examinedDeployment(): ExaminedDeployment {
  const own = {
    statusOf: (id, { env = {}, ...rest } = {}) => foundBy(id, { env: { ...own.dashboard.env, ...env }, ...rest }),
  } as ExaminedDeployment;
  beforeEach(async () => {
    own.dashboard = await startDashboard();
    own.session = await own.dashboard.signIn('admin');
    own.knex = createKnex(knexOptions(parseDatabaseUrl(own.dashboard.env.DATABASE_URL ?? ''), { warn: () => {} }));
  });
  afterEach(async () => {
    await own.knex.destroy();
    await own.dashboard.close();
  });
  return own;
}

export const HOUR = 3_600_000;
export const DAY = 24 * HOUR;
/** Nothing listens there. */
export const NOWHERE = 'http://127.0.0.1:9';

export function randomKey(): string {
  for (;;) {
    const key = randomBytes(32).toString('base64');
    // Now and then a random text holds a word that a placeholder would.
    if (!/change|example|secret|test|your-/i.test(key)) return key;
  }
}

/** Writes credentials into the sandbox's own store, as its owners would by registering a second factor. */
interface SandboxCredentials {
  set(identityId: string, type: string, config: Record<string, unknown>): void;
  close(): void;
}

export function sandboxCredentials({ env }: Dashboard): SandboxCredentials {
  const directory = dirname(String(env.DATABASE_URL).slice('sqlite:'.length));
  const database = new Sqlite(join(directory, `sandbox-${env.DEPLOYMENT}.sqlite`), { fileMustExist: true });
  const update = database.prepare(
    "update identities set document = json_set(document, '$.credentials.' || ?, json(?)) where id = ?",
  );
  return {
    set(identityId, type, config) {
      const at = '2026-01-01T00:00:00Z';
      const credential = { type, identifiers: [identityId], config, version: 0, created_at: at, updated_at: at };
      const { changes } = update.run(type, JSON.stringify(credential), identityId);
      if (changes !== 1) throw new Error('the sandbox has no such identity');
    },
    close: () => database.close(),
  };
}
