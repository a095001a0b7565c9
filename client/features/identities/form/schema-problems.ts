import type { JsonSchema } from '../../../../shared/json.ts';
import { pointerTo } from '../../../lib/json-pointer.ts';
import { memberChanges } from '../../../resource/form/member-changes.ts';
import type { Problems } from '../../../resource/form/problems.ts';
import { problemsOfChanges } from '../../../resource/form/problems-of-changes.ts';
import type { Objection } from '../schema-check.ts';
import { checkTraits, type TraitsCheck } from '../traits-check.ts';

/**
 * The schema's first objection to each member of the traits; undefined when they cannot be checked in this browser.
 * @param stored what it objects to there as well does not count where it is not replaced; undefined for a new identity
 */
export async function schemaProblems(
  schema: JsonSchema,
  traits: unknown,
  stored?: unknown,
  check: TraitsCheck = checkTraits,
): Promise<Problems | undefined> {
  const versions = stored === undefined ? [traits] : [traits, stored];
  const [found, before = []] = await check(
    schema,
    versions.map((version) => JSON.stringify(version)),
  );
  if (found === undefined) return undefined;
  return problemsOfChanges(problemsIn(found), problemsIn(before), memberChanges(stored ?? {}, traits, '/traits'));
}

function problemsIn(objections: readonly Objection[]): Problems {
  const problems: Record<string, string> = {};
  for (const { path, words } of objections) problems[path.reduce(pointerTo, '')] ??= `This ${words}.`;
  return problems;
}
