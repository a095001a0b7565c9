import { valueIn } from './portable-identity.ts';

/** Words that files of other systems use, reduced to letters and digits as by `bare`. */

/** Names of one thing. */
const SAME: readonly (readonly string[])[] = [
  ['email', 'mail', 'emailaddress', 'emailaddresses', 'primaryemail', 'mailaddress', 'address'],
  ['first', 'firstname', 'givenname', 'forename', 'vorname', 'prenom'],
  ['last', 'lastname', 'surname', 'familyname', 'nachname', 'nom'],
  ['name', 'fullname', 'displayname'],
  ['username', 'user', 'login', 'loginname', 'userid', 'account', 'userprincipalname'],
  ['phone', 'phonenumber', 'telephone', 'tel', 'mobile', 'mobilephone', 'cell', 'telephonenumber'],
  ['company', 'organisation', 'organization', 'firm', 'employer'],
  ['locale', 'language', 'lang'],
  ['externalid', 'crmid', 'customerid', 'employeeid', 'foreignid', 'userid', 'idoid'],
  ['schemaid', 'schema'],
  ['metadatapublic', 'usermetadata'],
  ['metadataadmin', 'appmetadata'],
];

export const PASSWORD_NAMES = [
  ...['password', 'plainpassword', 'passwordplain', 'plaintextpassword', 'initialpassword', 'userpassword', 'pass'],
  ...['passwd', 'pwd', 'pw', 'passphrase', 'kennwort', 'passwort', 'motdepasse'],
];
export const HASH_NAMES = [
  ...['hashedpassword', 'passwordhash', 'passwordhashed', 'hash', 'pwhash', 'pwdhash', 'passhash', 'passwdhash'],
  ...['encryptedpassword', 'passworddigest', 'cryptedpassword', 'bcrypt', 'bcrypthash', 'passwordbcrypt'],
  ...['custompasswordhashhashvalue', 'credentialspasswordhashvalue'],
];

const STATE_NAMES = ['state', 'status', 'accountstatus', 'userstatus', 'accountstate', 'kontostatus'];

export type AccountState = 'active' | 'inactive';

/**
 * What other systems call the states of an account. Where such a word names a column, yes and no are its values.
 * Words that are missing, or undecided, are asked for.
 */
const STATE_WORDS = new Map<string, AccountState | undefined>([
  ...['active', 'enabled', 'aktiv', 'actif'].map((word) => [word, 'active'] as const),
  ...['inactive', 'suspended', 'deprovisioned', 'disabled', 'blocked', 'blocksignin', 'signinblocked', 'deactivated']
    .concat(['archived', 'deleted', 'banned', 'terminated', 'inaktiv', 'gesperrt', 'deaktiviert', 'inactif'])
    .map((word) => [word, 'inactive'] as const),
  // Some systems lock an account for minutes.
  ['locked', undefined],
]);

/** Without accents, signs, and remarks such as `[READ ONLY]`, `(Yes/No)` and `Required`. */
export const bare = (name: string): string =>
  name
    .replaceAll(/\[[^[\]]*\]|\(yes\/no\)/gi, ' ')
    .replace(/ required\s*$/i, '')
    .normalize('NFD')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, '');

/** Whether both are names of one thing. */
export const meanTheSame = (a: string, b: string): boolean =>
  SAME.some((names) => names.includes(a) && names.includes(b));

export const stateOfWord = (word: string): AccountState | undefined => STATE_WORDS.get(bare(word));

/** The word that a column says yes or no to: `suspended` of `isSuspended`; undefined for other columns. */
export function stateFlag(column: string): string | undefined {
  const name = bare(column.split('.').at(-1) ?? '').replace(/^(?:is|account|user)(?=\p{L})/u, '');
  return STATE_WORDS.has(name) ? name : undefined;
}

/** Whether a column tells the state of an account, by its name. */
export const tellsState = (column: string): boolean =>
  stateFlag(column) !== undefined || STATE_NAMES.includes(bare(column.split('.').at(-1) ?? ''));

/** What the operator says of words that no table knows. */
export type StateAnswers = ReadonlyMap<string, AccountState>;

/**
 * What the columns of a row say of its state together: active only if all say so. A word that nobody knows is
 * returned as it is, to be asked for.
 */
export function stateIn(
  columns: readonly (readonly [name: string, text: string])[],
  answers: StateAnswers = new Map(),
): string | undefined {
  const said = columns.flatMap(([name, text]) => {
    const word = wordIn(name, text.trim());
    return word === '' ? [] : [answers.get(bare(word)) ?? stateOfWord(word) ?? word];
  });
  return said.find((state) => state === 'inactive') ?? said.find((state) => state !== 'active') ?? said[0];
}

export const isState = (text: string): text is AccountState => text === 'active' || text === 'inactive';

/** `suspended` with a yes is the word itself, with a no the opposite of what it means. */
function wordIn(name: string, text: string): string {
  const flag = stateFlag(name);
  const answer = flag === undefined ? undefined : valueIn(text, 'boolean');
  if (flag === undefined || typeof answer !== 'boolean') return text;
  if (answer) return flag;
  return stateOfWord(flag) === 'active' ? 'inactive' : 'active';
}
