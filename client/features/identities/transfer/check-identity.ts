import type { IdentitySchema } from '../../../api/identity-schemas.ts';
import { isObject } from '../../../json-object.ts';
import { type SchemaCheck, schemaCheck } from '../schema-check.ts';
import { asPlainJson } from './exact-json.ts';
import { isTextOnly, traitsOf } from './identity-schema.ts';
import {
  IMPORT_ONLY_MEMBERS,
  membersPresent,
  PORTABLE_MEMBERS,
  STORE_MADE_MEMBERS,
  TEXT_MEMBERS,
} from './portable-identity.ts';
import type { IsText } from './read-csv.ts';
import type { SourceRecord } from './transfer-file.ts';

/** An identity of a file, checked. Without problems it may be sent. */
export interface CheckedIdentity {
  line: number;
  /** What would be sent; empty where nothing could be read. */
  identity: Record<string, unknown>;
  problems: string[];
  /** Members of the file that are not sent, because the store makes them itself. */
  leftOut: string[];
}

export interface IdentityChecker {
  check(record: SourceRecord): CheckedIdentity;
  isText: IsText;
}

/** The store refuses members that it does not know. */
const SENT: readonly string[] = [...PORTABLE_MEMBERS, ...IMPORT_ONLY_MEMBERS];

/** @param schemaId of identities that name no schema of their own */
export function identityChecker(schemas: readonly IdentitySchema[], schemaId: string): IdentityChecker {
  const checks = new Map<string, SchemaCheck>(schemas.map(({ id, schema }) => [id, schemaCheck(schema)]));
  const traits = new Map(schemas.map(({ id, schema }) => [id, traitsOf(schema)]));
  return {
    isText: (ownSchemaId, trait) => isTextOnly(traits.get(ownSchemaId ?? schemaId)?.[trait]),
    check(record) {
      if ('problem' in record) return { line: record.line, identity: {}, problems: [record.problem], leftOut: [] };
      const { line, members } = record;
      const identity: Record<string, unknown> = { schema_id: schemaId, ...membersPresent(members, SENT) };
      const problems = memberProblems(members);
      const check = checks.get(String(identity.schema_id));
      if (check === undefined) problems.push(`schema_id: there is no schema “${identity.schema_id}” here`);
      else
        problems.push(
          ...new Set(check(asPlainJson(identity.traits ?? {})).map(({ path, words }) => `${path.join('.')}: ${words}`)),
        );
      return {
        line,
        identity,
        problems,
        leftOut: Object.keys(members).filter((name) => STORE_MADE_MEMBERS.includes(name)),
      };
    },
  };
}

function memberProblems(members: Record<string, unknown>): string[] {
  const problems = Object.keys(members)
    .filter((name) => !SENT.includes(name) && !STORE_MADE_MEMBERS.includes(name))
    .map((name) => `${name}: is no member of an identity`);
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
