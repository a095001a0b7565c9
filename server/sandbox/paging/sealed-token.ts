import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import { ServerPanic } from '../http/server-panic.ts';

/** An invalid page token, with the services' message. */
export class PageTokenError extends Error {}

/** Opaque page tokens that expire after an hour. */
export interface SealedTokens {
  seal(position: string): string;
  /** @throws PageTokenError, or ServerPanic for a token too short to contain anything */
  open(token: string): string;
}

const LIFETIME_MS = 3_600_000;
const IV_BYTES = 12;
const TAG_BYTES = 16;
/** With fewer bytes, the real servers panic: slice bounds out of range. */
const SEALED_MIN_BYTES = 24;

/** @param now milliseconds since the epoch */
export function sealedTokens(secret: string, now: () => number): SealedTokens {
  const key = createHash('sha256').update(secret).digest();
  return {
    seal(position) {
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv('aes-256-gcm', key, iv, { authTagLength: TAG_BYTES });
      const plain = padded(JSON.stringify({ position, expires: now() + LIFETIME_MS }));
      const sealed = Buffer.concat([iv, cipher.update(plain, 'utf8'), cipher.final(), cipher.getAuthTag()]);
      return sealed.toString('base64').replaceAll('+', '-').replaceAll('/', '_');
    },
    open(token) {
      const wrongAt = token.search(/[^A-Za-z0-9_=-]/);
      const badByte = wrongAt >= 0 ? wrongAt : token.length - (token.length % 4);
      if (badByte < token.length)
        throw new PageTokenError(`decode token: illegal base64 data at input byte ${badByte}`);
      const sealed = Buffer.from(token, 'base64url');
      if (sealed.length < SEALED_MIN_BYTES) throw new ServerPanic('slice bounds out of range');
      const { position, expires } = decrypted(key, sealed);
      if (expires <= now()) throw new PageTokenError('page token expired, do not persist page tokens');
      return position;
    },
  };
}

/** Pads with spaces, so that the token's base64 needs no `=`, which would be escaped in a `Link`. */
const padded = (json: string): string =>
  json + ' '.repeat((3 - ((Buffer.byteLength(json) + IV_BYTES + TAG_BYTES) % 3)) % 3);

function decrypted(key: Buffer, sealed: Buffer): { position: string; expires: number } {
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES });
    decipher.setAuthTag(sealed.subarray(-TAG_BYTES));
    const plain = Buffer.concat([decipher.update(sealed.subarray(IV_BYTES, -TAG_BYTES)), decipher.final()]);
    return JSON.parse(plain.toString('utf8')) as { position: string; expires: number };
  } catch {
    // The real servers leave this format verb in their message.
    throw new PageTokenError('decrypt token: %!w(<nil>)');
  }
}
