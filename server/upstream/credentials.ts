import { apiKeySetting, isBearerKey, type UpstreamName } from '../../shared/upstreams.ts';

/** A stored setting, decrypted if necessary. */
export interface StoredSecret {
  value: string;
  encrypted: boolean;
}

/** The complete `Authorization` header for an upstream; undefined if no key is stored. */
export type Authorization = (name: UpstreamName) => Promise<string | undefined>;

/** The stored keys as header values. Rejects for one in plain text or unfit for a header: the request is not sent. */
export const createCredentials =
  (settings: { get(key: string): Promise<StoredSecret | undefined> }): Authorization =>
  async (name) => {
    const key = apiKeySetting(name);
    const secret = await settings.get(key);
    if (secret === undefined) return undefined;
    if (!secret.encrypted) throw new Error(`${key} is stored in plain text`);
    if (!isBearerKey(secret.value)) throw new Error(`${key} cannot be sent in a header`);
    return `Bearer ${secret.value}`;
  };

/** The header for a service of the operators: its own key, otherwise that of the upstream at the same origin. */
export const operatorsAuthorization =
  (
    { key, upstream }: { key: string | undefined; upstream: UpstreamName | undefined },
    stored: Authorization,
  ): (() => Promise<string | undefined>) =>
  async () => {
    if (key !== undefined) return `Bearer ${key}`;
    return upstream === undefined ? undefined : stored(upstream);
  };

/** Whether a key is stored. One that cannot be read counts, so that the gate applies its stricter rules. */
export const keyPresence =
  (authorization: Authorization) =>
  (name: UpstreamName): Promise<boolean> =>
    authorization(name).then(
      (header) => header !== undefined,
      () => true,
    );
