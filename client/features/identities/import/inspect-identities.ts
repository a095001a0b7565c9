import { nameInFile } from '../../../format/identity-name.ts';
import { isState } from '../transfer/account-state.ts';
import type { CheckedIdentity } from './check-identity.ts';
import { hashesTaken, hasUnknownHash } from './check-password.ts';
import { isPlain, passwordIn } from './file-password.ts';

/** Summary of a file before anything is sent. */
export interface Inspection {
  total: number;
  invalid: number;
  /** Of those with problems, the ones to which only the schema objects. */
  doubtful: number;
  /** Identities whose traits could not be checked against their schema here. */
  notCheckedHere: number;
  first: CheckedIdentity[];
  /** The problems, most frequent first; the rarest are dropped when there are very many. */
  mistakes: Mistake[];
  /** Of those without problems, the ones with a plaintext password. */
  withPassword: number;
  withHash: number;
  withOtherCredentials: number;
  leftOut: string[];
  /** Words for the state that nobody knows; the first few. */
  unknownStates: string[];
  /** Advice on one of the problems. */
  hint: string | undefined;
}

/** One problem, worded the same for one identity or many. */
export interface Mistake {
  problem: string;
  count: number;
  /** The first few. */
  lines: number[];
  /** The first identity that has it. */
  who: string;
}

export const FIRST_SHOWN = 20;
const MISTAKES_KEPT = 1_000;
const LINES_KEPT = 3;
/** More different words are no states. */
const STATES_KEPT = 20;
const PROGRESS_EVERY = 500;

/** @throws when the signal fires */
export async function inspectIdentities(
  identities: AsyncIterable<CheckedIdentity>,
  { signal, onProgress }: { signal?: AbortSignal; onProgress?: (checked: number) => void } = {},
): Promise<Inspection> {
  const inspection: Inspection = {
    total: 0,
    invalid: 0,
    doubtful: 0,
    notCheckedHere: 0,
    first: [],
    mistakes: [],
    withPassword: 0,
    withHash: 0,
    withOtherCredentials: 0,
    leftOut: [],
    unknownStates: [],
    hint: undefined,
  };
  const leftOut = new Set<string>();
  const states = new Set<string>();
  const mistakes = new Map<string, Mistake>();
  for await (const checked of identities) {
    signal?.throwIfAborted();
    inspection.total += 1;
    if (checked.notCheckedHere) inspection.notCheckedHere += 1;
    if (inspection.first.length < FIRST_SHOWN) inspection.first.push(checked);
    if (checked.problems.length > 0) {
      inspection.invalid += 1;
      if (checked.doubtful) inspection.doubtful += 1;
      if (hasUnknownHash(checked.identity)) inspection.hint ??= `Supported hashes: ${hashesTaken()}.`;
      for (const problem of new Set(checked.problems)) note(problem, checked);
    } else {
      const password = passwordIn(checked.identity);
      if (isPlain(password)) inspection.withPassword += 1;
      else if (password !== undefined) inspection.withHash += 1;
      else if (checked.identity.credentials !== undefined) inspection.withOtherCredentials += 1;
    }
    for (const name of checked.leftOut) leftOut.add(name);
    const { state } = checked.identity;
    if (typeof state === 'string' && !isState(state) && states.size < STATES_KEPT) states.add(state);
    if (inspection.total % PROGRESS_EVERY === 0) onProgress?.(inspection.total);
  }
  return {
    ...inspection,
    mistakes: [...mistakes.values()].sort((a, b) => b.count - a.count),
    leftOut: [...leftOut],
    unknownStates: [...states],
  };

  function note(problem: string, { line, identity }: CheckedIdentity): void {
    let mistake = mistakes.get(problem);
    if (mistake === undefined) {
      if (mistakes.size >= MISTAKES_KEPT) return;
      mistake = { problem, count: 0, lines: [], who: nameInFile(identity) };
      mistakes.set(problem, mistake);
    }
    mistake.count += 1;
    if (mistake.lines.length < LINES_KEPT) mistake.lines.push(line);
  }
}
