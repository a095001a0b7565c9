import assert from 'node:assert/strict';
import { parseConfig } from '../../server/config/parse-config.ts';
import { createDeps, type Deps } from '../../server/deps.ts';
import { createLog } from '../../server/log.ts';
import type { PostureCheck, PostureId } from '../../shared/posture.ts';

/** What the service finds when it starts in this environment, at this time. */
export interface PostureAt {
  env: NodeJS.ProcessEnv;
  now?: number;
  /** Done after the start, before it is looked. */
  first?: (deps: Deps) => Promise<void>;
}

/** Starts the service, without its port, on real databases and services, and looks once. */
export async function postureAt({ env, now, first }: PostureAt): Promise<(id: PostureId) => PostureCheck> {
  const began = Date.now();
  const clock = now === undefined ? Date.now : () => now + Date.now() - began;
  const log = createLog({ level: 'silent', production: false });
  const deps = await createDeps(parseConfig(env), log, clock);
  try {
    await first?.(deps);
    const { checks } = await deps.posture.read();
    return (id) => checks.find((check) => check.id === id) ?? assert.fail(`no check named ${id}`);
  } finally {
    await deps.close();
  }
}
