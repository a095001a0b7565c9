import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

const ALGORITHM = 'aes-256-gcm';
const VERSION = 'v1';
const IV_BYTES = 12;
/** Node accepts tags as short as 4 bytes by default, so every call passes this length. */
const TAG_BYTES = 16;

/** What a ciphertext is bound to: the value of one setting, or no setting at all. */
export type CipherContext = { setting: string } | 'no setting';

export type CipherProblem = 'malformed' | 'unknown_key' | 'not_authentic';

/** A ciphertext could not be decrypted. The message contains no part of it. */
export class CipherError extends Error {
  readonly code: CipherProblem;

  constructor(code: CipherProblem) {
    super(`the ciphertext cannot be decrypted: ${code}`);
    this.name = 'CipherError';
    this.code = code;
  }
}

/**
 * AES-256-GCM (NIST SP 800-38D) with keys derived from secret texts.
 * @param keys the current key encrypts; previous keys only decrypt
 */
export function createCipher(keys: { current: string; previous?: string | readonly string[] }) {
  const current = deriveKey(keys.current);
  const all = [current, ...[keys.previous ?? []].flat().map(deriveKey)];
  const byId = new Map(all.map((derived) => [derived.id, derived.key]));

  return {
    /** As they appear in ciphertexts; an id reveals nothing about its key. */
    keyIds: { current: current.id, previous: all.slice(1).map(({ id }) => id) },
    /** Returns `v1.<key id>.<iv>.<tag>.<data>`, in base64url; different on each call. */
    encrypt(plaintext: string, context: CipherContext) {
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv(ALGORITHM, current.key, iv, { authTagLength: TAG_BYTES });
      cipher.setAAD(additionalData(context));
      const data = Buffer.concat([cipher.update(plaintext, 'utf8'), cipher.final()]);
      const parts = [iv, cipher.getAuthTag(), data].map((part) => part.toString('base64url'));
      return [VERSION, current.id, ...parts].join('.');
    },
    /** @throws CipherError if the ciphertext was made for another context or with another key, or was changed */
    decrypt(ciphertext: string, context: CipherContext) {
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

export type Cipher = ReturnType<typeof createCipher>;

/** The id of the key that a ciphertext needs; undefined if it is not a ciphertext. */
export const keyIdOf = (ciphertext: string): string | undefined =>
  new RegExp(`^${VERSION}\\.([\\w-]+)\\.`).exec(ciphertext)?.[1];

/** The prefix of every ciphertext made with a key. */
export const ciphertextPrefix = (keyId: string): string => `${VERSION}.${keyId}.`;

/** The prefix distinguishes "no setting" from a setting with any name. */
const additionalData = (context: CipherContext): Buffer =>
  Buffer.from(context === 'no setting' ? 'value' : `setting:${context.setting}`, 'utf8');

/** The id is derived separately from the key, so it reveals nothing about it. */
function deriveKey(secret: string): { id: string; key: Buffer } {
  const derive = (purpose: string, bytes: number): Buffer =>
    Buffer.from(hkdfSync('sha256', secret, '', `dashboard-admin settings ${VERSION} ${purpose}`, bytes));
  return { id: derive('key id', 6).toString('base64url'), key: derive('key', 32) };
}

/** Buffer.from ignores invalid characters, so only the canonical base64url spelling is accepted. */
function decodePart(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64url');
  return bytes.toString('base64url') === text ? bytes : undefined;
}
