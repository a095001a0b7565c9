import { IMPORTED_CREDENTIALS } from '../../../shared/identity-credentials.ts';
import { type JsonSchema, membersOf, traitsIn } from '../../../shared/json.ts';
import type { IdentitySchema, SchemaList } from '../../api/identity-schemas.ts';
import {
  type CheckResult,
  checkTraits,
  identifiersIn,
  type TraitsCheck,
  trimmedTraits,
} from '../../record/traits-check.ts';
import { isState } from './account-state.ts';
import { formatPassword, importable, isDigest, isPlain, passwordIn, passwordProblems } from './file-password.ts';
import {
  IMPORTED_MEMBERS,
  membersPresent,
  STORE_MADE_MEMBERS,
  schemaColumns,
  TEXT_MEMBERS,
} from './portable-identity.ts';
import { type FileReading, readIdentities } from './read-identities.ts';
import type { SourceRecord } from './transfer-file.ts';

/** A checked identity from a file; sent only if there are no problems. */
export interface CheckedIdentity {
  line: number;
  /** The request body; empty if the record could not be parsed. */
  identity: Record<string, unknown>;
  problems: string[];
  /** True if only this browser's check rejects the identity: the store may accept it. */
  overridable: boolean;
  /** True if only the store can check the traits against their schema. */
  notCheckedHere?: boolean;
  /** Members of the file that are not sent because the store sets them itself. */
  leftOut: string[];
  /** Display text that replaces the password: “bcrypt hash”. */
  password?: string | undefined;
}

export type IdentityChecker = ReturnType<typeof identityChecker>;

/**
 * @param schemaId for identities that name no schema; undefined if none is chosen
 * @param leaveOutHashes if the passwords are hashes without a format, although not marked as hashes
 */
export function identityChecker(
  { schemas, complete }: SchemaList,
  schemaId: string | undefined,
  traitsCheck: TraitsCheck = checkTraits,
  leaveOutHashes = false,
) {
  const uniqueValues = uniqueValuesIn(schemas);
  const known = new Map<string, JsonSchema>(schemas.map(({ id, schema }) => [id, schema]));

  /** Runs all checks except the schema check and the search for duplicates. */
  function checkedAlone(record: SourceRecord): CheckedIdentity {
    if ('problem' in record) {
      const { line, problem } = record;
      return { line, identity: {}, problems: [problem], overridable: false, leftOut: [] };
    }
    const { line, members } = record;
    const own = membersPresent(members, IMPORTED_MEMBERS);
    const identity: Record<string, unknown> = { ...(schemaId === undefined ? {} : { schema_id: schemaId }), ...own };
    const schema = known.get(String(identity.schema_id));
    if (schema !== undefined && identity.traits !== undefined) identity.traits = trimmedTraits(identity.traits, schema);
    const problems = memberProblems(members);
    if (identity.credentials !== undefined)
      identity.credentials = importable(identity.credentials, IMPORTED_CREDENTIALS, 'credentials', problems);
    const { certain, objections } = passwordProblems(identity);
    certain.unshift(...problems);
    const config = leaveOutHashes ? passwordIn(identity) : undefined;
    if (isDigest(config)) {
      const { password: _hash, ...others } = membersOf(identity.credentials);
      identity.credentials = Object.keys(others).length > 0 ? others : undefined;
    } else if (isPlain(config) && objections.length === 0)
      certain.push('password: does not look like a hash, but hashes are to be left out');
    if (identity.schema_id === undefined) certain.push('schema_id: is missing; choose a default schema');
    else if (schema === undefined) {
      if (complete) certain.push(`schema_id: the schema “${identity.schema_id}” does not exist`);
      else objections.push(`schema_id: “${identity.schema_id}” could not be loaded, so the identity was not checked`);
    }
    return {
      line,
      identity,
      problems: [...certain, ...objections],
      overridable: certain.length === 0 && objections.length > 0,
      leftOut: Object.keys(members).filter((name) => STORE_MADE_MEMBERS.includes(name)),
      password: isDigest(config) ? 'hash, left out' : formatPassword(identity),
    };
  }

  return {
    columns: schemaColumns(schemas, schemaId),
    uniqueValues,
    /** Results are in input order. */
    async check(records: readonly SourceRecord[]): Promise<CheckedIdentity[]> {
      const checked = records.map(checkedAlone);
      for (const [id, schema] of known) {
        const ofSchema = [...checked.entries()].filter(([, { identity }]) => String(identity.schema_id) === id);
        if (ofSchema.length === 0) continue;
        const texts = ofSchema.map(([, { identity }]) => JSON.stringify(identity.traits ?? {}));
        const objections = await traitsCheck(schema, texts);
        for (const [position, [index, alone]] of ofSchema.entries())
          checked[index] = withObjections(alone, objections[position]);
      }
      return checked;
    },
  };
}

function withObjections(checked: CheckedIdentity, objections: CheckResult): CheckedIdentity {
  if (objections === undefined) return { ...checked, notCheckedHere: true };
  return withOverridable(checked, [...new Set(objections.map(({ path, words }) => `${path.join('.')}: ${words}`))]);
}

/** Clears overridable problems, so that the store decides. */
export async function* overridden(identities: AsyncIterable<CheckedIdentity>): AsyncGenerator<CheckedIdentity> {
  for await (const checked of identities) yield checked.overridable ? { ...checked, problems: [] } : checked;
}

function memberProblems(members: Record<string, unknown>): string[] {
  const problems = Object.keys(members)
    .filter((name) => !IMPORTED_MEMBERS.includes(name) && !STORE_MADE_MEMBERS.includes(name))
    .map((name) => `${name}: is not a field of an identity`);
  const { state } = members;
  // A wrong type would make the store reject every identity of the request.
  for (const name of TEXT_MEMBERS)
    if (typeof (members[name] ?? '') !== 'string') problems.push(`${name}: must be text`);
  if (typeof state === 'string' && state !== '' && !isState(state)) problems.push('state: must be active or inactive');
  return problems;
}

/** The page can render whenever the worker checks a batch. */
const CHECKED_TOGETHER = 250;

/** Reads and checks the identities of a file. Safe to call repeatedly. @throws an error for the operator */
export async function* checkFile(
  file: Blob,
  reading: FileReading,
  checker: IdentityChecker,
): AsyncGenerator<CheckedIdentity> {
  const withDuplicates = duplicateCheck(checker.uniqueValues);
  let records: SourceRecord[] = [];
  for await (const record of readIdentities(file, reading, checker.columns)) {
    records.push(record);
    if (records.length < CHECKED_TOGETHER) continue;
    for (const checked of await checker.check(records)) yield withDuplicates(checked);
    records = [];
  }
  for (const checked of await checker.check(records)) yield withDuplicates(checked);
}

/** Keeps external ids apart from identifiers, which may have the same text. */
export const EXTERNAL = 'external ';

/** Values that must be unique: identifiers as the store normalizes them, and the external id. */
export type UniqueValues = (identity: Record<string, unknown>) => [name: string, value: string][];

function uniqueValuesIn(schemas: readonly IdentitySchema[]): UniqueValues {
  const traits = new Map(schemas.map(({ id, schema }) => [id, [traitsIn(schema), schema] as const]));
  return (identity) => {
    const [ofTraits, schema] = traits.get(String(identity.schema_id)) ?? [{}, {}];
    const values = identifiersIn(identity.traits, ofTraits, schema).map(([pointer, text]): [string, string] => [
      pointer.slice(1).replaceAll('/', '.'),
      text.trim().toLowerCase(),
    ]);
    const { external_id: externalId } = identity;
    if (typeof externalId === 'string' && externalId !== '') values.push(['external_id', EXTERNAL + externalId]);
    return values;
  };
}

/** Reports values that an earlier identity of the file has. Needs a new instance for each pass through the file. */
function duplicateCheck(uniqueValues: UniqueValues): (checked: CheckedIdentity) => CheckedIdentity {
  const lines = new Map<string, number>();
  return (checked) => {
    const { identity, line } = checked;
    const values = uniqueValues(identity);
    const duplicates = values.flatMap(([name, value]) => {
      const before = lines.get(value);
      return before === undefined ? [] : [`${name}: the same as on line ${before}`];
    });
    // A skipped identity reserves no values.
    if (checked.problems.length === 0) for (const [, value] of values) if (!lines.has(value)) lines.set(value, line);
    return withOverridable(checked, duplicates);
  };
}

/** Adds problems that only this browser finds: the store may accept the identity nevertheless. */
const withOverridable = (checked: CheckedIdentity, more: readonly string[]): CheckedIdentity =>
  more.length === 0
    ? checked
    : {
        ...checked,
        problems: [...checked.problems, ...more],
        overridable: checked.overridable || checked.problems.length === 0,
      };
