import type { JsonSchema } from '../../../api/identity-schemas.ts';
import { pointerTo } from '../../../json-pointer.ts';
import type { Problems } from '../../../resource/form/problems.ts';
import { schemaCheck } from '../schema-check.ts';

/** What the schema has against these traits, at each member its first objection. */
export function schemaProblems(schema: JsonSchema, traits: unknown): Problems {
  const problems: Record<string, string> = {};
  for (const { path, words } of schemaCheck(schema)(traits)) problems[path.reduce(pointerTo, '')] ??= `This ${words}.`;
  return problems;
}
