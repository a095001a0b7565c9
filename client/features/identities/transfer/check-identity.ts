import type { KnownSchemas } from '../../../api/identity-schemas.ts';
import { isObject } from '../../../json-object.ts';
import { type SchemaCheck, schemaCheck } from '../schema-check.ts';
import { passwordProblems } from './check-password.ts';
import { type DuplicateCheck, duplicateCheck } from './duplicates.ts';
import { asPlainJson } from './exact-json.ts';
import { passwordInWords } from './file-password.ts';
import {
  IMPORT_ONLY_MEMBERS,
  membersPresent,
  PORTABLE_MEMBERS,
  STORE_MADE_MEMBERS,
  TEXT_MEMBERS,
} from './portable-identity.ts';
import { type ColumnKnowledge, columnKnowledge } from './trait-columns.ts';
import type { SourceRecord } from './transfer-file.ts';

/** An identity of a file, checked. Without problems it may be sent. */
export interface CheckedIdentity {
  line: number;
  /** What would be sent; empty where nothing could be read. */
  identity: Record<string, unknown>;
  problems: string[];
  /** Nothing but this browser's reading of schema and file speaks against it: the store may well take it. */
  doubtful: boolean;
  /** Members of the file that are not sent, because the store makes them itself. */
  leftOut: string[];
  /** What stands for its password on the page: “bcrypt hash”. */
  password?: string | undefined;
}

export interface IdentityChecker {
  check(record: SourceRecord): CheckedIdentity;
  columns: ColumnKnowledge;
  /** For one walk through a file. */
  duplicates(): DuplicateCheck;
}

/** The store refuses members that it does not know. */
const SENT: readonly string[] = [...PORTABLE_MEMBERS, ...IMPORT_ONLY_MEMBERS];

/** @param schemaId of identities that name no schema of their own; undefined where none is chosen */
export function identityChecker({ schemas, complete }: KnownSchemas, schemaId: string | undefined): IdentityChecker {
  const checks = new Map<string, SchemaCheck>(schemas.map(({ id, schema }) => [id, schemaCheck(schema)]));
  return {
    columns: columnKnowledge(schemas, schemaId),
    duplicates: () => duplicateCheck(schemas),
    check(record) {
      if ('problem' in record) {
        const { line, problem } = record;
        return { line, identity: {}, problems: [problem], doubtful: false, leftOut: [] };
      }
      const { line, members } = record;
      const own = membersPresent(members, SENT);
      const identity: Record<string, unknown> = { ...(schemaId === undefined ? {} : { schema_id: schemaId }), ...own };
      const password = passwordProblems(identity);
      const certain = [...memberProblems(members), ...password.certain];
      const objections = [...password.objections];
      const check = checks.get(String(identity.schema_id));
      if (identity.schema_id === undefined)
        certain.push('schema_id: is missing; choose a schema for those without one');
      else if (check !== undefined) objections.push(...objectionsOf(check, identity.traits));
      else if (complete) certain.push(`schema_id: there is no schema “${identity.schema_id}” here`);
      else objections.push(`schema_id: “${identity.schema_id}” could not be read, so nothing was checked`);
      return {
        line,
        identity,
        problems: [...certain, ...objections],
        doubtful: certain.length === 0 && objections.length > 0,
        leftOut: Object.keys(members).filter((name) => STORE_MADE_MEMBERS.includes(name)),
        password: passwordInWords(identity),
      };
    },
  };
}

/** Those that only the schema speaks against are sent as well, for the store to decide. */
export async function* withDoubtful(identities: AsyncIterable<CheckedIdentity>): AsyncGenerator<CheckedIdentity> {
  for await (const checked of identities) yield checked.doubtful ? { ...checked, problems: [] } : checked;
}

const objectionsOf = (check: SchemaCheck, traits: unknown): Iterable<string> =>
  new Set(check(asPlainJson(traits ?? {})).map(({ path, words }) => `${path.join('.')}: ${words}`));

function memberProblems(members: Record<string, unknown>): string[] {
  const problems = Object.keys(members)
    .filter((name) => !SENT.includes(name) && !STORE_MADE_MEMBERS.includes(name))
    .map((name) => `${name}: is not a member of an identity`);
  const { state, credentials } = members;
  // Of another type they would make the store refuse every identity of the request.
  for (const name of TEXT_MEMBERS)
    if (typeof (members[name] ?? '') !== 'string') problems.push(`${name}: must be text`);
  if (typeof state === 'string' && !['', 'active', 'inactive'].includes(state))
    problems.push('state: must be active or inactive');
  if (credentials !== undefined && credentials !== null && !isObject(credentials))
    problems.push('credentials: must be a JSON object');
  return problems;
}
