import { calledInFile } from '../../../format/identity-name.ts';
import type { CheckedIdentity } from './check-identity.ts';
import { hashesTaken, hasUnknownHash } from './check-password.ts';
import { isPlain, passwordIn } from './file-password.ts';

/** What is in a file, before anything is sent. */
export interface Inspection {
  total: number;
  invalid: number;
  /** Of those, the ones that only the schema speaks against. */
  doubtful: number;
  /** Whose traits were not held against their schema here. */
  notCheckedHere: number;
  first: CheckedIdentity[];
  /** What is wrong with them, the most frequent first; the rarest are left out where there are very many. */
  mistakes: Mistake[];
  /** Of those without problems, by what they bring along to sign in with. */
  withPassword: number;
  withHash: number;
  withOtherCredentials: number;
  leftOut: string[];
  /** What helps with a problem of some of them. */
  hint: string | undefined;
}

/** One problem, in the same words of one identity or of many. */
export interface Mistake {
  problem: string;
  count: number;
  /** The first few. */
  lines: number[];
  /** What the first of them is called. */
  who: string;
}

export const FIRST_SHOWN = 20;
const MISTAKES_KEPT = 1_000;
const LINES_KEPT = 3;
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
    hint: undefined,
  };
  const leftOut = new Set<string>();
  const mistakes = new Map<string, Mistake>();
  for await (const checked of identities) {
    signal?.throwIfAborted();
    inspection.total += 1;
    if (checked.notCheckedHere) inspection.notCheckedHere += 1;
    if (inspection.first.length < FIRST_SHOWN) inspection.first.push(checked);
    if (checked.problems.length > 0) {
      inspection.invalid += 1;
      if (checked.doubtful) inspection.doubtful += 1;
      if (hasUnknownHash(checked.identity))
        inspection.hint ??= `Hashes that the identity service takes: ${hashesTaken()}.`;
      for (const problem of new Set(checked.problems)) note(problem, checked);
    } else {
      const password = passwordIn(checked.identity);
      if (isPlain(password)) inspection.withPassword += 1;
      else if (password !== undefined) inspection.withHash += 1;
      else if (checked.identity.credentials !== undefined) inspection.withOtherCredentials += 1;
    }
    for (const name of checked.leftOut) leftOut.add(name);
    if (inspection.total % PROGRESS_EVERY === 0) onProgress?.(inspection.total);
  }
  return {
    ...inspection,
    mistakes: [...mistakes.values()].sort((a, b) => b.count - a.count),
    leftOut: [...leftOut],
  };

  function note(problem: string, { line, identity }: CheckedIdentity): void {
    let mistake = mistakes.get(problem);
    if (mistake === undefined) {
      if (mistakes.size >= MISTAKES_KEPT) return;
      mistake = { problem, count: 0, lines: [], who: calledInFile(identity) };
      mistakes.set(problem, mistake);
    }
    mistake.count += 1;
    if (mistake.lines.length < LINES_KEPT) mistake.lines.push(line);
  }
}
