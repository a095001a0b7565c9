import { isAlwaysEncrypted } from '../../../shared/settings.ts';
import { knownKey } from './known-keys.ts';

/** Words that name secrets, delimited by the key's dots, dashes, underscores and capitals. */
const SECRET_WORDS =
  /^(?:api)?keys?$|^(?:pass|pwd|passwd|passwords?|passphrase|passcode|pin|secrets?|tokens?|credentials?|private|salt|seed|hmac|dsn)$/;

/** Whether a setting with this key holds a secret, or probably does: `mail.smtp.password`, `stripe.apiKey`. */
export const looksSecret = (key: string): boolean =>
  isAlwaysEncrypted(key) || (knownKey(key) === undefined && namesSecret(key));

const namesSecret = (key: string): boolean =>
  key
    .replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .some((word) => SECRET_WORDS.test(word));
