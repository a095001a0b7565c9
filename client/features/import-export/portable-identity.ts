import { attempt, identifierIn, isObject, type JsonObject, traitsIn, whole } from '../../../shared/json.ts';
import type { IdentitySchema } from '../../api/identity-schemas.ts';
import { parseExactJson } from '../../lib/json.ts';
import { titleOf } from '../../record/traits.ts';

// A cell contains a string verbatim and any other value as JSON: 42, true, {"a":1}. A string that is empty or looks
// like JSON is written as a JSON string. An empty cell means no value.

export function cellOf(value: unknown): string {
  if (value === undefined) return '';
  if (typeof value !== 'string') return JSON.stringify(value);
  return value === '' || isJson(value) ? JSON.stringify(value) : value;
}

/** Case-insensitive, as written by spreadsheet programs. */
const YES_OR_NO = new Map(Object.entries({ true: true, yes: true, '1': true, false: false, no: false, '0': false }));

/** The only type that the schema allows for a cell; `single` for others, undefined if it may be a list or an object. */
export type CellKind = 'text' | 'boolean' | 'single' | undefined;

/**
 * Parses a cell; an empty one is undefined.
 * @param kind for text, 01234 and 12345 are both strings; for boolean, TRUE, no and 1 are accepted
 */
export function valueIn(cell: string, kind: CellKind): unknown {
  if (cell === '') return undefined;
  if (kind === 'boolean') {
    const value = YES_OR_NO.get(cell.trim().toLowerCase());
    if (value !== undefined) return value;
  }
  const value = attempt(() => parseExactJson(cell));
  return value === undefined || (kind === 'text' && typeof value !== 'string') ? cell : value;
}

const isJson = (text: string): boolean => attempt(() => JSON.parse(text)) !== undefined;

/** Members to move to another store: no credentials, and no id, since each store generates its own. */
export const PORTABLE_MEMBERS = ['schema_id', 'state', 'external_id', 'traits', 'metadata_public', 'metadata_admin'];

/** Imported but never exported: credentials, and addresses with their verification. */
const IMPORT_ONLY_MEMBERS = ['credentials', 'verifiable_addresses', 'recovery_addresses'];
/** Members that are sent, and that a single column may contain as a whole. The store rejects any other. */
export const IMPORTED_MEMBERS = [...PORTABLE_MEMBERS, ...IMPORT_ONLY_MEMBERS];

/** Set by the store: exported for information, but never imported. */
export const STORE_COLUMNS = ['id', 'created_at', 'updated_at'];
/** Ignored in a file. */
export const STORE_MADE_MEMBERS = [...STORE_COLUMNS, 'schema_url', 'state_changed_at', 'organization_id', 'region'];

export const TEXT_MEMBERS: readonly string[] = ['schema_id', 'state', 'external_id'];

/** The named members that have a value, in the order of `names`. */
export const membersPresent = (identity: JsonObject, names: readonly string[]): JsonObject =>
  Object.fromEntries(
    names
      .map((name): [string, unknown] => [name, identity[name]])
      // Only metadata may be an empty string.
      .filter(
        ([name, value]) => value !== undefined && value !== null && !(value === '' && TEXT_MEMBERS.includes(name)),
      ),
  );

/** The column of a trait: `traits.email`, or `traits.name.first` for a nested member. */
export interface TraitColumn {
  column: string;
  steps: readonly string[];
  title: string;
  kind: CellKind;
  isEmail: boolean;
  /** A login identifier for passwords, according to the Kratos schema extension. */
  isForPassword: boolean;
}

const DEPTH_MAX = 4;

/** One column per trait in a schema; nested members have their own columns. */
export function traitColumns(schema: unknown): TraitColumn[] {
  const root = isObject(schema) ? schema : {};
  const below = (parent: unknown, steps: readonly string[]): TraitColumn[] => {
    const { properties } = whole(parent, root);
    return Object.entries(isObject(properties) ? properties : {}).flatMap(([name, property]) => {
      const trait = whole(property, root);
      const path = [...steps, name];
      const isParent = isObject(trait.properties) && Object.keys(trait.properties).length > 0;
      if (isParent && path.length < DEPTH_MAX) return below(trait, path);
      return {
        column: `traits.${path.join('.')}`,
        steps: path,
        title: titleOf(trait, path.join('.')),
        kind: kindOf(trait),
        isEmail: trait.format === 'email',
        isForPassword: [trait, whole(trait.items, root)].some((one) => identifierIn(one).includes('password')),
      };
    });
  };
  return below(traitsIn(root), []);
}

function kindOf(trait: JsonObject): CellKind {
  // A nullable boolean is written as a boolean or as JSON null.
  const types = [trait.type].flat().filter((type) => type !== 'null' && type !== undefined);
  if (trait.type === 'string') return 'text';
  if (types.join() === 'boolean') return 'boolean';
  if (types.length > 0) return types.includes('array') || types.includes('object') ? undefined : 'single';
  return ['enum', 'const', 'format', 'pattern'].some((keyword) => keyword in trait) ? 'single' : undefined;
}

export type SchemaColumns = ReturnType<typeof schemaColumns>;

/** Looks up columns in the schemas. @param schemaId for rows that name none */
export function schemaColumns(schemas: readonly IdentitySchema[], schemaId?: string) {
  const traitsOf = (schema: unknown) => new Map(traitColumns(schema).map((trait) => [trait.column, trait]));
  const columns = new Map(schemas.map(({ id, schema }) => [id, traitsOf(schema)]));
  const all = new Map([...columns.values()].flatMap((traits) => [...traits]));
  return {
    /** The path of a trait; undefined for other columns. The name of an unknown trait is all after the first dot. */
    stepsOf: (column: string): readonly string[] | undefined =>
      all.get(column)?.steps ?? (/^traits\../.test(column) ? [column.slice('traits.'.length)] : undefined),
    /** @param ownSchemaId the schema named in the row */
    kindOf: (ownSchemaId: string | undefined, column: string): CellKind =>
      columns.get(ownSchemaId ?? schemaId ?? '')?.get(column)?.kind,
  };
}
