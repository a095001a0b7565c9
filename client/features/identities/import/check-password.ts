import { HASH_KINDS, hashKindOf } from '../../../../shared/identity-credentials.ts';
import type { JsonObject } from '../../../../shared/json.ts';
import { isGiven, looksHashed, passwordIn } from './file-password.ts';

/** How databases write “no value”; as a password, it would be shared by many. */
const NOTHING = /^(?:null|nil|none|undefined|\\n)$/i;
/** crypt(3) prefixes and the identity service's names for them. */
const CRYPT: Readonly<Record<string, string>> = { $1$: '$md5-crypt$', $5$: '$sha256-crypt$', $6$: '$sha512-crypt$' };
const BCRYPT = /^\$2[abzy]?\$\d\d\$[./A-Za-z0-9]{53}$/;

/** The hash formats that the store accepts, each with its prefix. */
export const hashesTaken = (): string => HASH_KINDS.map(({ name, like }) => `${name} (${like})`).join(', ');

/** Whether an identity has a hash in none of these formats. */
export function hasUnknownHash(identity: JsonObject): boolean {
  const hash = passwordIn(identity)?.hashed_password;
  return typeof hash === 'string' && hash !== '' && hashKindOf(hash) === undefined;
}

/** Problems with a password, without quoting it; the store may still accept those that are not `certain`. */
export function passwordProblems(identity: JsonObject): { certain: string[]; objections: string[] } {
  const { password = '', hashed_password: hash = '' } = passwordIn(identity) ?? {};
  if (isGiven(password) && isGiven(hash))
    return { certain: ['password: there is a hash as well; only one of them can be imported'], objections: [] };
  // With a wrong type, the store would reject every identity of the request.
  if (typeof (password ?? '') !== 'string') return { certain: ['password: must be text'], objections: [] };
  if (typeof (hash ?? '') !== 'string') return { certain: ['password hash: must be text'], objections: [] };
  const objection = isGiven(password) ? plainObjection(String(password)) : isGiven(hash) && hashObjection(String(hash));
  return { certain: [], objections: objection ? [objection] : [] };
}

function plainObjection(password: string): string | undefined {
  if (looksHashed(password)) return 'password: looks like a hash, which would itself become the password';
  return NOTHING.test(password) ? 'password: looks like a database’s null value' : undefined;
}

function hashObjection(hash: string): string | undefined {
  const kind = hashKindOf(hash);
  if (kind?.name === 'bcrypt' && !BCRYPT.test(hash))
    return 'password hash: is an incomplete bcrypt hash; nobody could sign in with it';
  if (kind !== undefined) return undefined;
  const crypt = CRYPT[hash.slice(0, 3)];
  return crypt === undefined
    ? 'password hash: has a format that the identity service does not support'
    : `password hash: begins with ${hash.slice(0, 3)}; the identity service expects ${crypt}`;
}
