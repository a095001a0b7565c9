import { apiKeySetting, isBearerKey, UPSTREAM_NAMES, type UpstreamName } from '../../shared/upstreams.ts';

/** A setting as stored, opened when it was encrypted. Its reader keeps it for the cache's age and rejects what no key opens. */
export interface StoredSecret {
  value: string;
  encrypted: boolean;
}

type SecretReader = (key: string) => StoredSecret | undefined | Promise<StoredSecret | undefined>;

/** The ready `Authorization` of an upstream; undefined where no key is stored. At once when the reader has it at hand. */
export type Authorization = (name: UpstreamName) => string | undefined | Promise<string | undefined>;

/**
 * The stored keys of the upstreams as header values.
 * A key stored in plain text, or one that cannot stand in a header, is an error: nothing is sent in its place.
 */
export function createCredentials(read: SecretReader): Authorization {
  // Built once: a text that is put together anew would be hashed anew at each look-up.
  const keys = new Map(UPSTREAM_NAMES.map((name) => [name, apiKeySetting(name)]));
  const ready = new WeakMap<StoredSecret, string>();

  function header(name: UpstreamName, secret: StoredSecret | undefined): string | undefined {
    if (secret === undefined) return undefined;
    const known = ready.get(secret);
    if (known !== undefined) return known;
    if (!secret.encrypted) throw new Error(`${apiKeySetting(name)} is stored in plain text`);
    if (!isBearerKey(secret.value)) throw new Error(`${apiKeySetting(name)} cannot stand in a header`);
    const value = `Bearer ${secret.value}`;
    ready.set(secret, value);
    return value;
  }

  return (name) => {
    const secret = read(keys.get(name) ?? apiKeySetting(name));
    return secret instanceof Promise ? secret.then((stored) => header(name, stored)) : header(name, secret);
  };
}

/** Whether a key is stored: also one that cannot be used, which the gate must treat as held. */
export const keyPresence =
  (authorization: Authorization) =>
  async (name: UpstreamName): Promise<boolean> => {
    try {
      return (await authorization(name)) !== undefined;
    } catch {
      return true;
    }
  };
