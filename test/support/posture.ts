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

interface PostureAt {
  env: NodeJS.ProcessEnv;
  /** The time of the start. */
  now?: number;
  /** Runs after the start, before the checks. */
  afterStart?: (deps: Deps) => Promise<void>;
}

/** Starts the service without a port, on a real database and real services, and runs the checks once. @returns one of them */
export async function postureAt({ env, now, afterStart }: PostureAt): Promise<(id: PostureId) => PostureCheck> {
  const began = Date.now();
  const clock = { ...SYSTEM_CLOCK, ...(now !== undefined && { now: () => now + Date.now() - began }) };
  const deps = await createDeps(parseConfig(env), silentLog, { clock });
  try {
    await afterStart?.(deps);
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

/** The status of one check, whose texts must be whole sentences. */
export async function foundBy(id: PostureId, at: PostureAt): Promise<PostureStatus> {
  const { status, title, detail, why, action } = (await postureAt(at))(id);
  for (const text of [title, detail, why, action]) assert.match(text, /^[A-Z/].*[.a-z]$/s);
  return status;
}

/** For a suite: a deployment with the session of an administrator, new for each test. */
export function examinedDeployment() {
  const own = {
    dashboard: {} as Dashboard,
    knex: {} as Knex,
    session: '',
    /** The status of a check when the service starts with these changes. */
    statusOf: (id: PostureId, { env = {}, ...rest }: Partial<PostureAt> = {}): Promise<PostureStatus> =>
      foundBy(id, { env: { ...own.dashboard.env, ...env }, ...rest }),
  };
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
/** An address where nothing listens. */
export const NOWHERE = 'http://127.0.0.1:9';

export function randomKey(): string {
  for (;;) {
    const key = randomBytes(32).toString('base64');
    // A random text may contain a word of a placeholder.
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
