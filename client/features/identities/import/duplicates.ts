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

export function duplicateCheck(schemas: readonly IdentitySchema[]): DuplicateCheck {
  const traits = new Map(
    schemas.map(({ id, schema }) => [
      id,
      [isObject(schema.properties) ? schema.properties.traits : {}, schema] as const,
    ]),
  );
  const lines = new Map<string, number>();
  return (checked) => {
    const { identity, line } = checked;
    const [schema, root] = traits.get(String(identity.schema_id)) ?? [{}, {}];
    const taken = identifiersIn(identity.traits, schema, root).map(([pointer, text]): [string, string] => [
      pointer.slice(1).replaceAll('/', '.'),
      // Normalized as in the store.
      text.trim().toLowerCase(),
    ]);
    if (typeof identity.external_id === 'string') taken.push(['external_id', `external ${identity.external_id}`]);
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
