import { isObject } from '../../../../shared/json.ts';
import type { IdentitySchema } from '../../../api/identity-schemas.ts';
import { identifiersIn } from '../login-identifiers.ts';

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
