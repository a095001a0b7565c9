import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

const ALGORITHM = 'aes-256-gcm';
const VERSION = 'v1';
const IV_BYTES = 12;
/** Node accepts tags of 4 bytes unless told otherwise; every call names this length. */
const TAG_BYTES = 16;

/** Where a ciphertext can be decrypted: as one setting's value, or in no setting at all. */
export type CipherContext = { setting: string } | 'no setting';

export type CipherProblem = 'malformed' | 'unknown_key' | 'not_authentic';

/** A ciphertext that cannot be decrypted. The message contains no part of it. */
export class CipherError extends Error {
  readonly code: CipherProblem;

  constructor(code: CipherProblem) {
    super(`the ciphertext cannot be decrypted: ${code}`);
    this.name = 'CipherError';
    this.code = code;
  }
}

export interface Cipher {
  /** As they stand in ciphertexts; an id says nothing about its key. */
  keyIds: { current: string; previous: readonly string[] };
  /** `v1.<key id>.<iv>.<tag>.<data>`, the parts in base64url; different at each call. */
  encrypt(plaintext: string, context: CipherContext): string;
  /** @throws CipherError when it was not made for this context by one of the keys, or was changed */
  decrypt(ciphertext: string, context: CipherContext): string;
}

/**
 * AES-256-GCM (NIST SP 800-38D) with keys derived from secret texts.
 * @param keys the current one encrypts; previous ones only decrypt
 */
export function createCipher(keys: { current: string; previous?: string | readonly string[] }): Cipher {
  const current = deriveKey(keys.current);
  const all = [current, ...[keys.previous ?? []].flat().map(deriveKey)];
  const byId = new Map(all.map((derived) => [derived.id, derived.key]));

  return {
    keyIds: { current: current.id, previous: all.slice(1).map(({ id }) => id) },
    encrypt(plaintext, context) {
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv(ALGORITHM, current.key, iv, { authTagLength: TAG_BYTES });
      cipher.setAAD(additionalData(context));
      const data = Buffer.concat([cipher.update(plaintext, 'utf8'), cipher.final()]);
      const parts = [iv, cipher.getAuthTag(), data].map((part) => part.toString('base64url'));
      return [VERSION, current.id, ...parts].join('.');
    },
    decrypt(ciphertext, context) {
      const [version, id = '', ...rest] = ciphertext.split('.');
      const [iv, tag, data] = rest.map(decodePart);
      if (version !== VERSION || rest.length !== 3 || !data || iv?.length !== IV_BYTES || tag?.length !== TAG_BYTES)
        throw new CipherError('malformed');
      const key = byId.get(id);
      if (key === undefined) throw new CipherError('unknown_key');
      const decipher = createDecipheriv(ALGORITHM, key, iv, { authTagLength: TAG_BYTES });
      decipher.setAAD(additionalData(context));
      decipher.setAuthTag(tag);
      try {
        return Buffer.concat([decipher.update(data), decipher.final()]).toString('utf8');
      } catch {
        throw new CipherError('not_authentic');
      }
    },
  };
}

/** Which key a ciphertext needs, from its beginning; undefined for anything that is not a ciphertext. */
export const keyIdOf = (ciphertext: string): string | undefined =>
  new RegExp(`^${VERSION}\\.([\\w-]+)\\.`).exec(ciphertext)?.[1];

/** What every ciphertext of a key begins with. */
export const ciphertextBeginning = (keyId: string): string => `${VERSION}.${keyId}.`;

/** The prefix keeps "no setting" apart from a setting of whatever name. */
const additionalData = (context: CipherContext): Buffer =>
  Buffer.from(context === 'no setting' ? 'value' : `setting:${context.setting}`, 'utf8');

/** The id tells which key a ciphertext needs; it is derived beside the key and says nothing about it. */
function deriveKey(secret: string): { id: string; key: Buffer } {
  const derive = (purpose: string, bytes: number): Buffer =>
    Buffer.from(hkdfSync('sha256', secret, '', `dashboard-admin settings ${VERSION} ${purpose}`, bytes));
  return { id: derive('key id', 6).toString('base64url'), key: derive('key', 32) };
}

/** Buffer.from skips what is not base64url: only the one spelling that encoding would give is accepted. */
function decodePart(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64url');
  return bytes.toString('base64url') === text ? bytes : undefined;
}
