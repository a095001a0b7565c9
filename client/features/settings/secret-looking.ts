/** Words that name what must not be read: between dots, dashes, underscores and capitals of a key. */
const SECRET_WORDS =
  /^(?:api)?keys?$|^(?:pass|pwd|passwd|passwords?|passphrase|passcode|pin|secrets?|tokens?|credentials?|private|salt|seed|hmac|dsn)$/;

/** Whether the setting of this key is likely to hold a secret: `mail.smtp.password`, `stripe.apiKey`. */
export const looksSecret = (key: string): boolean =>
  key
    .replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .some((word) => SECRET_WORDS.test(word));
