import { isObject } from '../../../../shared/json.ts';
import type { IdentitySchema } from '../../../api/identity-schemas.ts';
import { resolved, titleOf } from '../../../resource/traits/trait-schema.ts';
import { identifierOf } from '../login-identifiers.ts';
import type { CellKind } from './csv-cells.ts';

/** The column of one trait: `traits.email`, and `traits.name.first` for a member of an object. */
export interface TraitColumn {
  column: string;
  steps: readonly string[];
  title: string;
  /** The schema allows nothing but this. */
  kind: CellKind;
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
        kind: kindOf(trait.type),
        isEmail: trait.format === 'email',
        isForPassword: [trait, resolved(trait.items, root)].some((one) => identifierOf(one).includes('password')),
      };
    });
  };
  return below(isObject(root.properties) ? root.properties.traits : undefined, []);
}

function kindOf(type: unknown): CellKind {
  if (type === 'string') return 'text';
  // A boolean that may be null as well is written as one, or as JSON's null.
  const [only, ...others] = [type].flat().filter((one) => one !== 'null');
  return only === 'boolean' && others.length === 0 ? 'boolean' : undefined;
}

/** What the schemas say about the columns of a file. */
export interface ColumnKnowledge {
  /** Where the value of a column belongs; undefined for one that is of no trait. */
  stepsOf(column: string): readonly string[] | undefined;
  /** @param schemaId that the row names */
  kindOf(schemaId: string | undefined, column: string): CellKind;
}

/** @param schemaId of rows that name none */
export function columnKnowledge(schemas: readonly IdentitySchema[], schemaId?: string): ColumnKnowledge {
  const columns = new Map(schemas.map(({ id, schema }) => [id, traitColumns(schema)]));
  const steps = new Map([...columns.values()].flat().map((trait) => [trait.column, trait.steps]));
  const kinds = new Map(
    [...columns].map(([id, traits]) => [id, new Map(traits.map(({ column, kind }) => [column, kind]))]),
  );
  return {
    // Of a trait that no schema names, all that follows the first dot is the name.
    stepsOf: (column) =>
      steps.get(column) ?? (/^traits\../.test(column) ? [column.slice('traits.'.length)] : undefined),
    kindOf: (ownSchemaId, column) => kinds.get(ownSchemaId ?? schemaId ?? '')?.get(column),
  };
}
