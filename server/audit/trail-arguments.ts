import { parseArgs } from 'node:util';
import type { ChainHead } from './audit-chain.ts';
import { parsePlace } from './format-verdict.ts';
import type { PruneRequest } from './prune-trail.ts';

/** The arguments of `audit:verify`; undefined if they are none. */
export function parseVerifyArguments(args: readonly string[]): { expected: ChainHead | undefined } | undefined {
  const given = optionsIn(args, ['expect']);
  const expected = parsePlace(given?.expect ?? '');
  return given === undefined || (given.expect !== undefined && expected === undefined) ? undefined : { expected };
}

/** The arguments of `audit:export`; undefined if they are none. */
export function parseExportArguments(args: readonly string[]): { after: ChainHead | undefined } | undefined {
  const given = optionsIn(args, ['after']);
  const after = parsePlace(given?.after ?? '');
  return given === undefined || (given.after !== undefined && after === undefined) ? undefined : { after };
}

/** The arguments of `audit:prune`, both of which it needs; undefined if they are none. A date begins at midnight in UTC. */
export function parsePruneArguments(args: readonly string[]): PruneRequest | undefined {
  const { before: day = '', exported: place = '' } = optionsIn(args, ['before', 'exported']) ?? {};
  const exported = parsePlace(place);
  const before = /^\d{4}-\d\d-\d\d$/.test(day) ? new Date(`${day}T00:00:00.000Z`) : undefined;
  // `2026-02-30` would be the second of March.
  if (exported === undefined || before === undefined || !isSameDay(before, day)) return undefined;
  return { before: before.toISOString(), exported };
}

const isSameDay = (date: Date, day: string): boolean =>
  !Number.isNaN(date.getTime()) && date.toISOString().startsWith(day);

/** Options that take a text, each at most once; undefined if there is anything else. */
function optionsIn<Name extends string>(
  args: readonly string[],
  names: readonly Name[],
): Partial<Record<Name, string>> | undefined {
  const options = Object.fromEntries(names.map((name) => [name, { type: 'string', multiple: true } as const]));
  try {
    const values = Object.entries(parseArgs({ args: [...args], options, strict: true }).values);
    if (values.some(([, texts]) => texts?.length !== 1)) return undefined;
    return Object.fromEntries(values.map(([name, texts]) => [name, texts?.[0]])) as Partial<Record<Name, string>>;
  } catch {
    return undefined;
  }
}
