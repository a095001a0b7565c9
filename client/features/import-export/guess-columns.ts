import { type JsonSchema, traitsIn } from '../../../shared/json.ts';
import type { SchemaList } from '../../api/identity-schemas.ts';
import { isStateColumn, knownState, normalizeName } from './account-state.ts';
import { type ColumnMapping, isEmail, type TableBeginning } from './columns.ts';
import { readBeginning } from './csv.ts';
import { HASH_COLUMN, looksHashed, PASSWORD_COLUMN } from './file-password.ts';
import { IMPORTED_MEMBERS, STORE_MADE_MEMBERS, type TraitColumn, traitColumns } from './portable-identity.ts';
import { formatOf, textOf } from './transfer-file.ts';

/**
 * Guesses the target of each column, the most certain match first. Uses each target once, except the state: a person
 * who is inactive in any state column must not be imported as active.
 */
export function guessColumns({ header, samples }: TableBeginning, traits: readonly TraitColumn[]): ColumnMapping {
  const targets = [
    ...traits.map((trait) => ({ column: trait.column, names: namesOf(trait), isEmail: trait.isEmail })),
    ...IMPORTED_MEMBERS.map((column) => ({ column, names: [normalizeName(column)], isEmail: false })),
    { column: PASSWORD_COLUMN, names: PASSWORD_NAMES, isEmail: false },
    { column: HASH_COLUMN, names: HASH_NAMES, isEmail: false },
  ];
  const mapping: (string | undefined)[] = header.map(() => undefined);
  // A nested member matches by its path or by its last segment: `profile.email`.
  const headerNames = header.map((name) => [normalizeName(name), normalizeName(name.split('.').at(-1) ?? '')]);
  const hasObjects = (index: number): boolean => samples.some((cells) => /^\[\s*\{/.test(cells[index] ?? ''));
  const isRegion = (index: number): boolean => isRegionOf({ header, samples }, index);
  const take = (fits: (target: (typeof targets)[number], name: string, index: number) => boolean): void => {
    for (const [index, name] of header.entries()) {
      if (mapping[index] !== undefined || STORE_MADE_MEMBERS.includes(name.trim()) || isRegion(index)) continue;
      // A list is of another system.
      if (headerNames[index]?.includes('credentials') && hasObjects(index)) continue;
      mapping[index] = targets.find((target) => !mapping.includes(target.column) && fits(target, name, index))?.column;
    }
  };
  take((target, name) => target.column === name.trim());
  // Hashes in a password column would be imported as plaintext passwords.
  const isHashed = (index: number): boolean => samples.some((cells) => looksHashed((cells[index] ?? '').trim()));
  const isCalled = (index: number, test: (name: string) => boolean): boolean => headerNames[index]?.some(test) ?? false;
  take(
    ({ column, names }, _name, index) =>
      isCalled(index, (name) => names.includes(name)) && (column !== PASSWORD_COLUMN || !isHashed(index)),
  );
  take(
    ({ column }, _name, index) =>
      column === HASH_COLUMN && isHashed(index) && isCalled(index, (name) => PASSWORD_NAMES.includes(name)),
  );
  for (const [index, name] of header.entries())
    if (mapping[index] === undefined && isStateColumn(name) && !isRegion(index)) mapping[index] = 'state';
  take(
    ({ names }, _name, index) =>
      !hasObjects(index) && isCalled(index, (name) => names.some((one) => areSynonyms(one, name))),
  );
  take((target, _name, index) => target.isEmail && samples.some((cells) => isEmail(cells[index] ?? '')));
  return mapping;
}

/** Detects a `state` column that holds a region, in a file where another column holds the account state. */
const isRegionOf = ({ header, samples }: TableBeginning, index: number): boolean =>
  normalizeName(header[index] ?? '') === 'state' &&
  header.some((name, other) => other !== index && isStateColumn(name)) &&
  samples.some((cells) => cells[index]?.trim()) &&
  samples.every((cells) => knownState(cells[index] ?? '') === undefined);

/** The title, the last path segment and the path in both directions: `namefirst`, `firstname`. */
const namesOf = ({ title, steps }: TraitColumn): string[] =>
  [title, steps.at(-1) ?? '', steps.join(''), steps.toReversed().join('')].map(normalizeName);

/**
 * Guesses the columns that the operator has not mapped. A mapped trait that the schema lacks is ignored for now, but
 * applies again to a schema that has it.
 */
export function mappingOf(
  beginning: TableBeginning,
  traits: readonly TraitColumn[],
  chosen: ReadonlyMap<number, string | undefined>,
): ColumnMapping {
  const exists = (column: string | undefined): boolean =>
    !column?.startsWith('traits.') || traits.some((trait) => trait.column === column);
  const valid = new Map([...chosen].filter(([, column]) => exists(column)));
  const used = [...valid.values()];
  return guessColumns(beginning, traits).map((guess, index) => {
    if (valid.has(index)) return valid.get(index);
    return guess === 'state' || !used.includes(guess) ? guess : undefined;
  });
}

/**
 * The only schema that matches the columns of a CSV file; undefined if none or several match, or if the list of schemas
 * is incomplete.
 */
export async function matchingSchema(file: File, { schemas, complete }: SchemaList): Promise<string | undefined> {
  if (!complete || (await formatOf(file)) !== 'csv') return undefined;
  // The check reports problems with the file.
  const beginning = await readBeginning(textOf(file)).catch(() => undefined);
  if (beginning === undefined) return undefined;
  const [only, ...others] = schemas.filter(({ schema }) => matches(beginning, schema));
  return others.length === 0 ? only?.id : undefined;
}

function matches(beginning: TableBeginning, schema: JsonSchema): boolean {
  const traits = traitColumns(schema);
  const mapping = guessColumns(beginning, traits);
  const { required } = traitsIn(schema);
  const covered = new Set(traits.filter(({ column }) => mapping.includes(column)).map(({ steps }) => steps[0]));
  return (
    covered.size > 0 &&
    beginning.header.every((name, index) => mapping[index] !== undefined || STORE_MADE_MEMBERS.includes(name.trim())) &&
    (Array.isArray(required) ? required : []).every((name) => covered.has(name))
  );
}

export const areSynonyms = (a: string, b: string): boolean =>
  SYNONYMS.some((names) => names.includes(a) && names.includes(b));

// Normalized column names of other systems.

const SYNONYMS: readonly (readonly string[])[] = [
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

const PASSWORD_NAMES = [
  ...['password', 'plainpassword', 'passwordplain', 'plaintextpassword', 'initialpassword', 'userpassword', 'pass'],
  ...['passwd', 'pwd', 'pw', 'passphrase', 'kennwort', 'passwort', 'motdepasse'],
];
const HASH_NAMES = [
  ...['hashedpassword', 'passwordhash', 'passwordhashed', 'hash', 'pwhash', 'pwdhash', 'passhash', 'passwdhash'],
  ...['encryptedpassword', 'passworddigest', 'cryptedpassword', 'bcrypt', 'bcrypthash', 'passwordbcrypt'],
  ...['custompasswordhashhashvalue', 'credentialspasswordhashvalue'],
];
