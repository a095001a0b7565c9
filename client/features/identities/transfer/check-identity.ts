import { isObject, type JsonSchema } from '../../../../shared/json.ts';
import type { IdentitySchema, SchemaList } from '../../../api/identity-schemas.ts';
import { identifiersIn } from '../identifiers.ts';
import { type CheckAnswer, checkTraits, type TraitsCheck, trimmedTraits } from '../traits-check.ts';
import { isState } from './account-state.ts';
import { formatPassword, passwordProblems } from './file-password.ts';
import {
  type ColumnKnowledge,
  columnKnowledge,
  IMPORT_ONLY_MEMBERS,
  membersPresent,
  PORTABLE_MEMBERS,
  STORE_MADE_MEMBERS,
  TEXT_MEMBERS,
} from './portable-identity.ts';
import { type FileReading, readIdentities } from './read-identities.ts';
import type { SourceRecord } from './transfer-file.ts';

/** Finds values that two identities of a file cannot share; create one per pass through the file. */
export type DuplicateCheck = <Checked extends Candidate>(checked: Checked) => Checked;

interface Candidate {
  line: number;
  identity: Record<string, unknown>;
  problems: string[];
  doubtful: boolean;
}

/** Before an external id, which may be somebody else's sign-in. */
export const EXTERNAL = 'external ';

/** What nobody else can have, each with its name: the identifiers as the store normalizes them, and the external id. */
export type TakenBy = (identity: Record<string, unknown>) => [name: string, taken: string][];

export function takenByIn(schemas: readonly IdentitySchema[]): TakenBy {
  const traits = new Map(
    schemas.map(({ id, schema }) => [
      id,
      [isObject(schema.properties) ? schema.properties.traits : {}, schema] as const,
    ]),
  );
  return (identity) => {
    const [schema, root] = traits.get(String(identity.schema_id)) ?? [{}, {}];
    const taken = identifiersIn(identity.traits, schema, root).map(([pointer, text]): [string, string] => [
      pointer.slice(1).replaceAll('/', '.'),
      text.trim().toLowerCase(),
    ]);
    const { external_id: externalId } = identity;
    if (typeof externalId === 'string' && externalId !== '') taken.push(['external_id', EXTERNAL + externalId]);
    return taken;
  };
}

export function duplicateCheck(takenBy: TakenBy): DuplicateCheck {
  const lines = new Map<string, number>();
  return (checked) => {
    const { identity, line } = checked;
    const taken = takenBy(identity);
    const problems = taken.flatMap(([name, text]) => {
      const before = lines.get(text);
      return before === undefined ? [] : [`${name}: the same as in line ${before}`];
    });
    // An identity that is skipped for another reason reserves nothing.
    if (checked.problems.length === 0) for (const [, text] of taken) if (!lines.has(text)) lines.set(text, line);
    if (problems.length === 0) return checked;
    return {
      ...checked,
      problems: [...checked.problems, ...problems],
      doubtful: checked.doubtful || checked.problems.length === 0,
    };
  };
}

/** A checked identity from a file. Without problems it may be sent. */
export interface CheckedIdentity {
  line: number;
  /** What would be sent; empty when nothing could be read. */
  identity: Record<string, unknown>;
  problems: string[];
  /** Only this browser's check objects: the store may well accept it. */
  doubtful: boolean;
  /** The traits could not be checked against their schema: only the store can judge them. */
  notCheckedHere?: boolean;
  /** Members in the file that are not sent because the store sets them itself. */
  leftOut: string[];
  /** Shown instead of its password: “bcrypt hash”. */
  password?: string | undefined;
}

export interface IdentityChecker {
  /** Results are in order. */
  check(records: readonly SourceRecord[]): Promise<CheckedIdentity[]>;
  columns: ColumnKnowledge;
  takenBy: TakenBy;
  /** For one pass through a file. */
  duplicates(): DuplicateCheck;
}

/** The store rejects unknown members. */
const SENT: readonly string[] = [...PORTABLE_MEMBERS, ...IMPORT_ONLY_MEMBERS];

/** @param schemaId for identities that name no schema; undefined if none is chosen */
export function identityChecker(
  { schemas, complete }: SchemaList,
  schemaId: string | undefined,
  traitsCheck: TraitsCheck = checkTraits,
): IdentityChecker {
  const takenBy = takenByIn(schemas);
  const known = new Map<string, JsonSchema>(schemas.map(({ id, schema }) => [id, schema]));

  /** All checks except the one against the schema. */
  function checkedAlone(record: SourceRecord): CheckedIdentity {
    if ('problem' in record) {
      const { line, problem } = record;
      return { line, identity: {}, problems: [problem], doubtful: false, leftOut: [] };
    }
    const { line, members } = record;
    const own = membersPresent(members, SENT);
    const identity: Record<string, unknown> = { ...(schemaId === undefined ? {} : { schema_id: schemaId }), ...own };
    const schema = known.get(String(identity.schema_id));
    if (schema !== undefined && identity.traits !== undefined) identity.traits = trimmedTraits(identity.traits, schema);
    const password = passwordProblems(identity);
    const certain = [...memberProblems(members), ...password.certain];
    const objections = [...password.objections];
    if (identity.schema_id === undefined) certain.push('schema_id: is missing; choose a schema for those without one');
    else if (schema === undefined) {
      if (complete) certain.push(`schema_id: there is no schema “${identity.schema_id}” here`);
      else objections.push(`schema_id: “${identity.schema_id}” could not be read, so nothing was checked`);
    }
    return {
      line,
      identity,
      problems: [...certain, ...objections],
      doubtful: certain.length === 0 && objections.length > 0,
      leftOut: Object.keys(members).filter((name) => STORE_MADE_MEMBERS.includes(name)),
      password: formatPassword(identity),
    };
  }

  return {
    columns: columnKnowledge(schemas, schemaId),
    takenBy,
    duplicates: () => duplicateCheck(takenBy),
    async check(records) {
      const checked = records.map(checkedAlone);
      for (const [id, schema] of known) {
        const places = [...checked.keys()].filter((place) => String(checked[place]?.identity.schema_id) === id);
        if (places.length === 0) continue;
        const texts = places.map((place) => JSON.stringify(checked[place]?.identity.traits ?? {}));
        const answers = await traitsCheck(schema, texts);
        for (const [index, place] of places.entries()) {
          const alone = checked[place];
          if (alone !== undefined) checked[place] = withAnswer(alone, answers[index]);
        }
      }
      return checked;
    },
  };
}

function withAnswer(checked: CheckedIdentity, objections: CheckAnswer): CheckedIdentity {
  if (objections === undefined) return { ...checked, notCheckedHere: true };
  if (objections.length === 0) return checked;
  const { problems, doubtful } = checked;
  const words = new Set(objections.map(({ path, words }) => `${path.join('.')}: ${words}`));
  return { ...checked, problems: [...problems, ...words], doubtful: doubtful || problems.length === 0 };
}

/** Also returns identities to which only the schema objects, for the store to decide. */
export async function* withDoubtful(identities: AsyncIterable<CheckedIdentity>): AsyncGenerator<CheckedIdentity> {
  for await (const checked of identities) yield checked.doubtful ? { ...checked, problems: [] } : checked;
}

function memberProblems(members: Record<string, unknown>): string[] {
  const problems = Object.keys(members)
    .filter((name) => !SENT.includes(name) && !STORE_MADE_MEMBERS.includes(name))
    .map((name) => `${name}: is not a member of an identity`);
  const { state, credentials } = members;
  // With a wrong type, the store would reject every identity of the request.
  for (const name of TEXT_MEMBERS)
    if (typeof (members[name] ?? '') !== 'string') problems.push(`${name}: must be text`);
  if (typeof state === 'string' && state !== '' && !isState(state)) problems.push('state: must be active or inactive');
  if (credentials !== undefined && credentials !== null && !isObject(credentials))
    problems.push('credentials: must be a JSON object');
  return problems;
}

/** Lets the page render a frame in between. */
const WORK_MS = 12;
const CHECKED_TOGETHER = 250;

/** Reads and checks the identities of a file; can be called repeatedly. @throws TransferFileError */
export async function* checkFile(
  file: Blob,
  reading: FileReading,
  checker: IdentityChecker,
): AsyncGenerator<CheckedIdentity> {
  const withDuplicates = checker.duplicates();
  let records: SourceRecord[] = [];
  let since = performance.now();
  for await (const record of readIdentities(file, reading, checker.columns)) {
    records.push(record);
    const pause = performance.now() - since >= WORK_MS;
    if (records.length < CHECKED_TOGETHER && !pause) continue;
    for (const checked of await checker.check(records)) yield withDuplicates(checked);
    records = [];
    if (!pause) continue;
    await new Promise((resolve) => setTimeout(resolve));
    since = performance.now();
  }
  for (const checked of await checker.check(records)) yield withDuplicates(checked);
}
