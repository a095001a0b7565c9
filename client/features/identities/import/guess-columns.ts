import { type ColumnMapping, MEMBER_COLUMNS } from '../transfer/csv-columns.ts';
import { STORE_MADE_MEMBERS } from '../transfer/portable-identity.ts';
import type { CsvBeginning } from '../transfer/read-csv.ts';
import type { TraitColumn } from '../transfer/trait-columns.ts';
import { HASH_COLUMN, looksHashed, PASSWORD_COLUMN } from './file-password.ts';

/** Synonyms used in spreadsheets, reduced to letters and digits. */
const SAME: readonly (readonly string[])[] = [
  ['email', 'mail', 'emailaddress', 'emailaddresses', 'primaryemail', 'mailaddress', 'address'],
  ['first', 'firstname', 'givenname', 'forename', 'vorname', 'prenom'],
  ['last', 'lastname', 'surname', 'familyname', 'nachname', 'nom'],
  ['name', 'fullname', 'displayname'],
  ['username', 'user', 'login', 'loginname', 'userid', 'account'],
  ['phone', 'phonenumber', 'telephone', 'tel', 'mobile', 'mobilephone', 'cell'],
  ['company', 'organisation', 'organization', 'firm', 'employer'],
  ['locale', 'language', 'lang'],
  ['external_id', 'externalid', 'crmid', 'customerid', 'employeeid', 'foreignid'],
  ['state', 'status'],
  ['schema_id', 'schemaid', 'schema'],
];

const PASSWORD_NAMES = [
  ...['password', 'plainpassword', 'passwordplain', 'plaintextpassword', 'initialpassword', 'userpassword', 'pass'],
  ...['passwd', 'pwd', 'pw', 'passphrase', 'kennwort', 'passwort', 'motdepasse'],
];
const HASH_NAMES = [
  ...['hashedpassword', 'passwordhash', 'passwordhashed', 'hash', 'pwhash', 'pwdhash', 'passhash', 'passwdhash'],
  ...['encryptedpassword', 'passworddigest', 'cryptedpassword', 'bcrypt', 'bcrypthash', 'passwordbcrypt'],
];

/**
 * Guesses what the columns of a file mean; each meaning is used once, the most certain match first.
 * @param chosen what the operator said of columns, by their position: it stays, unless there is no such meaning
 */
export function guessColumns(
  { header, samples }: CsvBeginning,
  traits: readonly TraitColumn[],
  chosen: ReadonlyMap<number, string | undefined> = new Map(),
): ColumnMapping {
  const targets = [
    ...traits.map((trait) => ({ column: trait.column, names: namesOf(trait), isEmail: trait.isEmail })),
    ...MEMBER_COLUMNS.map((column) => ({ column, names: [letters(column)], isEmail: false })),
    { column: PASSWORD_COLUMN, names: PASSWORD_NAMES, isEmail: false },
    { column: HASH_COLUMN, names: HASH_NAMES, isEmail: false },
  ];
  const isChosen = (index: number): boolean => {
    const column = chosen.get(index);
    return chosen.has(index) && (column === undefined || targets.some((target) => target.column === column));
  };
  const mapping = header.map((_name, index) => (isChosen(index) ? chosen.get(index) : undefined));
  const bare = header.map(letters);
  const take = (fits: (target: (typeof targets)[number], name: string, index: number) => boolean): void => {
    for (const [index, name] of header.entries()) {
      if (mapping[index] !== undefined || isChosen(index) || STORE_MADE_MEMBERS.includes(name.trim())) continue;
      mapping[index] = targets.find((target) => !mapping.includes(target.column) && fits(target, name, index))?.column;
    }
  };
  take((target, name) => target.column === name.trim());
  // Hashes mistaken for passwords would become passwords themselves.
  const isHashed = (index: number): boolean => samples.some((cells) => looksHashed((cells[index] ?? '').trim()));
  take(
    ({ column, names }, _name, index) =>
      names.includes(bare[index] ?? '') && (column !== PASSWORD_COLUMN || !isHashed(index)),
  );
  take(
    ({ column }, _name, index) =>
      column === HASH_COLUMN && isHashed(index) && PASSWORD_NAMES.includes(bare[index] ?? ''),
  );
  take((target, _name, index) => target.names.some((known) => meanTheSame(known, bare[index] ?? '')));
  take((target, _name, index) => target.isEmail && looksLikeEmail(samples, index));
  return mapping;
}

/** Its title, its own name, and its path in both directions: `namefirst`, `firstname`. */
const namesOf = ({ title, steps }: TraitColumn): string[] =>
  [title, steps.at(-1) ?? '', steps.join(''), steps.toReversed().join('')].map(letters);

const letters = (name: string): string =>
  name
    .normalize('NFD')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, '');

const SAME_BARE = SAME.map((names) => names.map(letters));

const meanTheSame = (a: string, b: string): boolean =>
  SAME_BARE.some((names) => names.includes(a) && names.includes(b));

const looksLikeEmail = (samples: CsvBeginning['samples'], index: number): boolean =>
  samples.some((cells) => /^[^\s@]+@[^\s@.]+(?:\.[^\s@.]+)+$/.test(cells[index] ?? ''));
