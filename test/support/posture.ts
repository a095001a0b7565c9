import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import createKnex, { type Knex } from 'knex';
import { parseConfig } from '../../server/config/parse-config.ts';
import { parseDatabaseUrl } from '../../server/db/database-address.ts';
import { knexOptions } from '../../server/db/knex-options.ts';
import { createDeps, type Deps } from '../../server/deps.ts';
import type { PostureCheck, PostureId, PostureStatus } from '../../shared/posture.ts';
import { type Dashboard, startDashboard } from './dashboard.ts';
import { silentLog } from './silent-log.ts';

/** What the service finds when it starts in this environment, at this time. */
export interface PostureAt {
  env: NodeJS.ProcessEnv;
  now?: number;
  /** Done after the start, before the checks run. */
  first?: (deps: Deps) => Promise<void>;
}

/** Starts the service, without its port, on real databases and services, and looks once. */
export async function postureAt({ env, now, first }: PostureAt): Promise<(id: PostureId) => PostureCheck> {
  const began = Date.now();
  const clock = now === undefined ? Date.now : () => now + Date.now() - began;
  const deps = await createDeps(parseConfig(env), silentLog, clock);
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
export interface ExaminedDeployment {
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
