import type { IdentitySchema } from '../../../api/identity-schemas.ts';
import { isObject } from '../../../json-object.ts';
import { resolved, titleOf } from '../../../resource/traits/trait-schema.ts';
import { identifierOf } from '../login-identifiers.ts';

/** The column of one trait: `traits.email`, and `traits.name.first` for a member of an object. */
export interface TraitColumn {
  column: string;
  steps: readonly string[];
  title: string;
  /** The schema allows nothing but text: 01234 and 12345 are both text then. */
  isText: boolean;
  isEmail: boolean;
  /** People sign in with it and a password, by Kratos' extension of the schema. */
  isForPassword: boolean;
}

const DEPTH_MAX = 4;

/** A column for each trait that a schema names; the members of objects stand in columns of their own. */
export function traitColumns(schema: unknown): TraitColumn[] {
  const root = isObject(schema) ? schema : {};
  const below = (parent: unknown, steps: readonly string[]): TraitColumn[] => {
    const { properties } = resolved(parent, root);
    return Object.entries(isObject(properties) ? properties : {}).flatMap(([name, property]) => {
      const trait = resolved(property, root);
      const path = [...steps, name];
      const isParent = isObject(trait.properties) && Object.keys(trait.properties).length > 0;
      if (isParent && path.length < DEPTH_MAX) return below(trait, path);
      return {
        column: `traits.${path.join('.')}`,
        steps: path,
        title: titleOf(trait, path.join('.')),
        isText: trait.type === 'string',
        isEmail: trait.format === 'email',
        isForPassword: [trait, resolved(trait.items, root)].some((one) => identifierOf(one).includes('password')),
      };
    });
  };
  return below(isObject(root.properties) ? root.properties.traits : undefined, []);
}

/** What the schemas say about the columns of a file. */
export interface ColumnKnowledge {
  /** Where the value of a column belongs; undefined for one that is of no trait. */
  stepsOf(column: string): readonly string[] | undefined;
  /** @param schemaId that the row names */
  isText(schemaId: string | undefined, column: string): boolean;
}

/** @param schemaId of rows that name none */
export function columnKnowledge(schemas: readonly IdentitySchema[], schemaId?: string): ColumnKnowledge {
  const columns = new Map(schemas.map(({ id, schema }) => [id, traitColumns(schema)]));
  const steps = new Map([...columns.values()].flat().map((trait) => [trait.column, trait.steps]));
  const texts = new Map(
    [...columns].map(([id, traits]) => [
      id,
      new Set(traits.filter(({ isText }) => isText).map(({ column }) => column)),
    ]),
  );
  return {
    // Of a trait that no schema names, all that follows the first dot is the name.
    stepsOf: (column) =>
      steps.get(column) ?? (/^traits\../.test(column) ? [column.slice('traits.'.length)] : undefined),
    isText: (ownSchemaId, column) => texts.get(ownSchemaId ?? schemaId ?? '')?.has(column) === true,
  };
}
