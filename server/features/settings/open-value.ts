import { type Cipher, CipherError } from '../../crypto/cipher.ts';
import { ApiError } from '../../http/api-error.ts';

/** The plain text of a setting's ciphertext; an error `decryption_failed` if no key decrypts it. */
export function openValue(cipher: Cipher, key: string, ciphertext: string): string | ApiError {
  try {
    return cipher.decrypt(ciphertext, { setting: key });
  } catch (cause) {
    if (cause instanceof CipherError) return new ApiError('decryption_failed', { cause });
    throw cause;
  }
}
