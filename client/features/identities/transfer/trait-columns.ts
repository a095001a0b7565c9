import { identifierIn, isObject, whole } from '../../../../shared/json.ts';
import type { IdentitySchema } from '../../../api/identity-schemas.ts';
import { titleOf } from '../../../resource/traits/trait-schema.ts';
import type { CellKind } from './csv-cells.ts';

/** A trait's column: `traits.email`, or `traits.name.first` for a member of an object. */
export interface TraitColumn {
  column: string;
  steps: readonly string[];
  title: string;
  /** The only type that the schema allows. */
  kind: CellKind;
  isEmail: boolean;
  /** A login identifier for passwords, by Kratos' schema extension. */
  isForPassword: boolean;
}

const DEPTH_MAX = 4;

/** One column per trait in a schema; members of objects get columns of their own. */
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
        kind: kindOf(trait.type),
        isEmail: trait.format === 'email',
        isForPassword: [trait, whole(trait.items, root)].some((one) => identifierIn(one).includes('password')),
      };
    });
  };
  return below(isObject(root.properties) ? root.properties.traits : undefined, []);
}

function kindOf(type: unknown): CellKind {
  if (type === 'string') return 'text';
  // A nullable boolean is written as a boolean or as JSON's null.
  const [only, ...others] = [type].flat().filter((one) => one !== 'null');
  return only === 'boolean' && others.length === 0 ? 'boolean' : undefined;
}

/** What the schemas say about the columns of a file. */
export interface ColumnKnowledge {
  /** The path of a column's value; undefined when the column is not a trait. */
  stepsOf(column: string): readonly string[] | undefined;
  /** @param schemaId named in the row */
  kindOf(schemaId: string | undefined, column: string): CellKind;
}

/** @param schemaId for rows that name none */
export function columnKnowledge(schemas: readonly IdentitySchema[], schemaId?: string): ColumnKnowledge {
  const columns = new Map(schemas.map(({ id, schema }) => [id, traitColumns(schema)]));
  const steps = new Map([...columns.values()].flat().map((trait) => [trait.column, trait.steps]));
  const kinds = new Map(
    [...columns].map(([id, traits]) => [id, new Map(traits.map(({ column, kind }) => [column, kind]))]),
  );
  return {
    // For a trait in no schema, everything after the first dot is its name.
    stepsOf: (column) =>
      steps.get(column) ?? (/^traits\../.test(column) ? [column.slice('traits.'.length)] : undefined),
    kindOf: (ownSchemaId, column) => kinds.get(ownSchemaId ?? schemaId ?? '')?.get(column),
  };
}
