import { openSandboxDatabase } from '../../server/sandbox/sandbox-database.ts';
import { newSigningKey } from '../../server/sandbox/sandbox-secrets.ts';

let signingKey: string | undefined;

/** An RSA key takes longer to make than all else in a new sandbox: those of one process share it. */
export function keepSigningKey(file: string): void {
  signingKey ??= newSigningKey();
  const database = openSandboxDatabase(file);
  database.prepare('INSERT OR IGNORE INTO installation (name, value) VALUES (?, ?)').run('signing-key', signingKey);
  database.close();
}
