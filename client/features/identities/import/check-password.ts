import type { JsonObject } from '../../../../shared/json.ts';
import { HASH_KINDS, hashKindOf } from '../../../../shared/password-hashes.ts';
import { isGiven, looksHashed, passwordIn } from './file-password.ts';

/** As a database writes that there is none; as a password it would be everybody's. */
const NOTHING = /^(?:null|nil|none|undefined|\\n)$/i;
/** crypt(3) writes the beginning, the identity service the name. */
const CRYPT: Readonly<Record<string, string>> = { $1$: '$md5-crypt$', $5$: '$sha256-crypt$', $6$: '$sha512-crypt$' };
const BCRYPT = /^\$2[abzy]?\$\d\d\$[./A-Za-z0-9]{53}$/;

/** The kinds of hashes that the store takes, each with how one begins. */
export const hashesTaken = (): string => HASH_KINDS.map(({ name, like }) => `${name} (${like})`).join(', ');

/** Whether an identity brings a hash along that is none of these. */
export function hasUnknownHash(identity: JsonObject): boolean {
  const hash = passwordIn(identity)?.hashed_password;
  return typeof hash === 'string' && hash !== '' && hashKindOf(hash) === undefined;
}

/** What is wrong with a password, without the password; the store may well take what is only objected to. */
export function passwordProblems(identity: JsonObject): { certain: string[]; objections: string[] } {
  const { password = '', hashed_password: hash = '' } = passwordIn(identity) ?? {};
  if (isGiven(password) && isGiven(hash))
    return { certain: ['password: there is a hash as well; only one of them can be imported'], objections: [] };
  // Of another type they would make the store refuse every identity of the request.
  if (typeof (password ?? '') !== 'string') return { certain: ['password: must be text'], objections: [] };
  if (typeof (hash ?? '') !== 'string') return { certain: ['password hash: must be text'], objections: [] };
  const objection = isGiven(password) ? plainObjection(String(password)) : isGiven(hash) && hashObjection(String(hash));
  return { certain: [], objections: objection ? [objection] : [] };
}

function plainObjection(password: string): string | undefined {
  if (looksHashed(password)) return 'password: looks like a hash, which would itself become the password';
  return NOTHING.test(password) ? 'password: is a database’s word for no value' : undefined;
}

function hashObjection(hash: string): string | undefined {
  const kind = hashKindOf(hash);
  if (kind?.name === 'bcrypt' && !BCRYPT.test(hash))
    return 'password hash: is a bcrypt hash that is not whole; nobody could sign in with it';
  if (kind !== undefined) return undefined;
  const crypt = CRYPT[hash.slice(0, 3)];
  return crypt === undefined
    ? 'password hash: is of no kind that the identity service takes'
    : `password hash: begins with ${hash.slice(0, 3)}, which the identity service takes as ${crypt}`;
}
