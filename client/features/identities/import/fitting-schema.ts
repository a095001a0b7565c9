import { type JsonSchema, traitsIn } from '../../../../shared/json.ts';
import type { KnownSchemas } from '../../../api/identity-schemas.ts';
import { STORE_MADE_MEMBERS } from '../transfer/portable-identity.ts';
import { readBeginning } from '../transfer/read-csv.ts';
import type { TableBeginning } from '../transfer/table-head.ts';
import { traitColumns } from '../transfer/trait-columns.ts';
import { formatOf, textOf } from '../transfer/transfer-file.ts';
import { guessColumns } from './guess-columns.ts';

/**
 * The one schema that the columns of a CSV file fit; undefined if none or several do, or if the list of schemas is
 * incomplete.
 */
export async function fittingSchema(file: File, { schemas, complete }: KnownSchemas): Promise<string | undefined> {
  if (!complete || (await formatOf(file)) !== 'csv') return undefined;
  // Problems with the file are reported by the check.
  const beginning = await readBeginning(textOf(file)).catch(() => undefined);
  if (beginning === undefined) return undefined;
  const [only, ...others] = schemas.filter(({ schema }) => fits(beginning, schema));
  return others.length === 0 ? only?.id : undefined;
}

/** Every column is known, and every required trait has a column. */
function fits(beginning: TableBeginning, schema: JsonSchema): boolean {
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
