import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';

/** The key that signs, and an older one that only verifies. */
export interface SigningKeys {
  current: Uint8Array;
  previous?: Uint8Array;
}

/** Compared in constant time. */
export function isSameText(expected: string, given: string): boolean {
  const a = Buffer.from(expected);
  const b = Buffer.from(given);
  return a.length === b.length && timingSafeEqual(a, b);
}

/** An HMAC-SHA256 (RFC 2104) signer. */
export function createSigner(keys: SigningKeys) {
  const tagOf = (key: Uint8Array, text: string): string => createHmac('sha256', key).update(text).digest('base64url');
  return {
    /** The tag of a text: HMAC-SHA256 as base64url, 43 characters. */
    sign: (text: string) => tagOf(keys.current, text),
    /** Compares the encoded tags, since one tag has several base64url spellings, and in constant time. */
    verify: (text: string, tag: string) =>
      isSameText(tagOf(keys.current, text), tag) ||
      (keys.previous !== undefined && isSameText(tagOf(keys.previous, text), tag)),
  };
}

export type Signer = ReturnType<typeof createSigner>;

/** Configured keys as raw bytes. */
export const keyBytes = (keys: { current: string; previous?: string }): SigningKeys => ({
  current: Buffer.from(keys.current, 'utf8'),
  previous: keys.previous === undefined ? undefined : Buffer.from(keys.previous, 'utf8'),
});

/**
 * Keys for one purpose, derived by HKDF-SHA256 (RFC 5869), so that a signature for one purpose is worthless for
 * another.
 * @param purpose a unique name, such as `login-cookie`
 */
export function derivedKeys(keys: { current: string; previous?: string }, purpose: string): SigningKeys {
  const derive = (key: string): Uint8Array =>
    new Uint8Array(hkdfSync('sha256', key, '', `dashboard-admin/${purpose}/v1`, 32));
  return {
    current: derive(keys.current),
    previous: keys.previous === undefined ? undefined : derive(keys.previous),
  };
}
