import type { JsonSchema } from '../../../api/identity-schemas.ts';
import { pointerTo } from '../../../lib/json-pointer.ts';
import type { Problems } from '../../../resource/form/problems.ts';
import { checkTraits, type TraitsCheck } from '../traits-check.ts';

/** The schema's first objection to each member of the traits; undefined when they cannot be checked in this browser. */
export async function schemaProblems(
  schema: JsonSchema,
  traits: unknown,
  check: TraitsCheck = checkTraits,
): Promise<Problems | undefined> {
  const [objections] = await check(schema, [JSON.stringify(traits)]);
  if (objections === undefined) return undefined;
  const problems: Record<string, string> = {};
  for (const { path, words } of objections) problems[path.reduce(pointerTo, '')] ??= `This ${words}.`;
  return problems;
}
