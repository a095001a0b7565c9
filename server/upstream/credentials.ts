import { apiKeySetting, isBearerKey, type UpstreamName } from '../../shared/upstreams.ts';

/** A stored setting, decrypted if necessary. Its reader caches it and rejects what no key decrypts. */
export interface StoredSecret {
  value: string;
  encrypted: boolean;
}

/** The complete `Authorization` header for an upstream; undefined if no key is stored. */
export interface Authorization {
  (name: UpstreamName): Promise<string | undefined>;
  /** The same in the same turn; undefined if it is not at hand. @throws as the other rejects */
  atHand(name: UpstreamName): { header: string | undefined } | undefined;
}

/** Whether a key is stored for an upstream, even an unusable one. */
export interface KeyPresence {
  (name: UpstreamName): Promise<boolean>;
  /** The same in the same turn; undefined if it is not at hand. */
  atHand(name: UpstreamName): boolean | undefined;
}

/**
 * The stored keys of the upstreams as header values. A key stored in plain text, or unfit for a header, is an error:
 * nothing is sent instead.
 */
export function createCredentials(settings: {
  get(key: string): Promise<StoredSecret | undefined>;
  atHand(key: string): { setting: StoredSecret | undefined } | undefined;
}): Authorization {
  const ready = new WeakMap<StoredSecret, string>();

  function headerOf(key: string, secret: StoredSecret | undefined): string | undefined {
    if (secret === undefined) return undefined;
    const known = ready.get(secret);
    if (known !== undefined) return known;
    if (!secret.encrypted) throw new Error(`${key} is stored in plain text`);
    if (!isBearerKey(secret.value)) throw new Error(`${key} cannot be sent in a header`);
    const value = `Bearer ${secret.value}`;
    ready.set(secret, value);
    return value;
  }

  async function authorization(name: UpstreamName): Promise<string | undefined> {
    const key = apiKeySetting(name);
    return headerOf(key, await settings.get(key));
  }
  return Object.assign(authorization, {
    atHand(name: UpstreamName) {
      const key = apiKeySetting(name);
      const known = settings.atHand(key);
      return known && { header: headerOf(key, known.setting) };
    },
  });
}

/** The header for a service of the operators: its own key, or else the stored one of the upstream at its origin. */
export const operatorsAuthorization =
  (
    { key, upstream }: { key: string | undefined; upstream: UpstreamName | undefined },
    stored: (name: UpstreamName) => Promise<string | undefined>,
  ) =>
  async (): Promise<string | undefined> => {
    if (key !== undefined) return `Bearer ${key}`;
    return upstream === undefined ? undefined : stored(upstream);
  };

/** A key that cannot be used counts as stored: the gate must treat it as present. */
export function keyPresence(authorization: Authorization): KeyPresence {
  const presence = (name: UpstreamName): Promise<boolean> =>
    authorization(name).then(
      (header) => header !== undefined,
      () => true,
    );
  return Object.assign(presence, {
    atHand(name: UpstreamName) {
      try {
        const known = authorization.atHand(name);
        return known && known.header !== undefined;
      } catch {
        return true;
      }
    },
  });
}
