import { generateKeyPairSync, type JsonWebKey, randomBytes, randomUUID } from 'node:crypto';
import type { SandboxDatabase } from './sandbox-database.ts';

/** Secrets of one installation: generated once, stored with the data they protect. */
export interface SandboxSecrets {
  /** The RSA key that signs id tokens. */
  signingKey: JsonWebKey & { kid?: string };
  cookieSecret: string;
  pageTokenSecret: string;
}

export function sandboxSecrets(database: SandboxDatabase): SandboxSecrets {
  const read = database.prepare<[string], { value: string }>('SELECT value FROM installation WHERE name = ?');
  const write = database.prepare('INSERT INTO installation (name, value) VALUES (?, ?)');
  const once = (name: string, make: () => string): string => {
    const stored = read.get(name);
    if (stored !== undefined) return stored.value;
    const made = make();
    write.run(name, made);
    return made;
  };
  const secret = () => randomBytes(32).toString('base64url');
  return {
    signingKey: JSON.parse(once('signing-key', newSigningKey)) as JsonWebKey,
    cookieSecret: once('cookie-secret', secret),
    pageTokenSecret: once('page-token-secret', secret),
  };
}

/** A private JWK, as JSON. */
export function newSigningKey(): string {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  return JSON.stringify({
    ...privateKey.export({ format: 'jwk' }),
    use: 'sig',
    alg: 'RS256',
    kid: randomUUID(),
  });
}
