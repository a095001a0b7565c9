import { dirname, join } from 'node:path';
import Sqlite from 'better-sqlite3';
import type { Dashboard } from './dashboard.ts';

/** Writes credentials into the sandbox's own store, as its owners would by registering a second factor. */
export interface SandboxCredentials {
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
