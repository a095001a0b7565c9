import { apiKeySetting, isBearerKey, type UpstreamName } from '../../shared/upstreams.ts';

/** A stored setting, decrypted if necessary. Its reader caches it and rejects what no key decrypts. */
export interface StoredSecret {
  value: string;
  encrypted: boolean;
}

/** The complete `Authorization` header for an upstream; undefined if no key is stored. */
export type Authorization = (name: UpstreamName) => Promise<string | undefined>;

/**
 * The stored keys of the upstreams as header values. A key stored in plain text, or unfit for a header, is an error:
 * nothing is sent instead.
 */
export function createCredentials(read: (key: string) => Promise<StoredSecret | undefined>): Authorization {
  const ready = new WeakMap<StoredSecret, string>();

  return async (name) => {
    const key = apiKeySetting(name);
    const secret = await read(key);
    if (secret === undefined) return undefined;
    const known = ready.get(secret);
    if (known !== undefined) return known;
    if (!secret.encrypted) throw new Error(`${key} is stored in plain text`);
    if (!isBearerKey(secret.value)) throw new Error(`${key} cannot be sent in a header`);
    const value = `Bearer ${secret.value}`;
    ready.set(secret, value);
    return value;
  };
}

/** Whether a key is stored, even an unusable one, which the gate must treat as present. */
export const keyPresence =
  (authorization: Authorization) =>
  (name: UpstreamName): Promise<boolean> =>
    authorization(name).then(
      (key) => key !== undefined,
      () => true,
    );
