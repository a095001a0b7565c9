import { VARIABLES, type Variable } from './variables.ts';

/** A variable that is set and not read, though its name is almost one of ours. */
export interface Misspelt {
  variable: string;
  /** The rest of the sentence; names no value. */
  text: string;
}

/** Letters and digits; the names of others are as near to a shorter one by chance. */
const ONE_EDIT_FROM = 7;
const TWO_EDITS_FROM = 11;

const known = new Set<string>(VARIABLES);
const bare = (name: string): string => name.replace(/[^a-z0-9]/gi, '').toUpperCase();
const ours = VARIABLES.map((name) => ({ name, letters: bare(name) }));

/**
 * Finds names that differ from one of ours in case or separators, or by a letter or two if it is long. An empty variable
 * counts as unset.
 */
export const misspeltVariables = (env: NodeJS.ProcessEnv): Misspelt[] =>
  Object.keys(env)
    .filter((name) => !known.has(name) && /^[\w.-]+$/.test(name) && env[name]?.trim())
    .flatMap((variable) => {
      const meant = nearest(bare(variable));
      return meant === undefined ? [] : [{ variable, text: `is not read: is ${meant} meant?` }];
    });

function nearest(letters: string): Variable | undefined {
  let found: { name: Variable; edits: number } | undefined;
  for (const { name, letters: own } of ours) {
    const allowed = own.length >= TWO_EDITS_FROM ? 2 : own.length >= ONE_EDIT_FROM ? 1 : 0;
    if (Math.abs(own.length - letters.length) > allowed) continue;
    const edits = editsBetween(own, letters);
    if (edits <= allowed && edits < (found?.edits ?? Number.POSITIVE_INFINITY)) found = { name, edits };
  }
  return found?.name;
}

/** The optimal string alignment distance: letters added, left out or replaced, and neighbours exchanged. */
function editsBetween(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= b.length; column += 1) {
      const replaced = at(last, column - 1) + (a[row - 1] === b[column - 1] ? 0 : 1);
      const exchanged =
        row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]
          ? at(beforeLast, column - 2) + 1
          : replaced;
      current.push(Math.min(replaced, exchanged, at(last, column) + 1, at(current, column - 1) + 1));
    }
    [beforeLast, last] = [last, current];
  }
  return at(last, b.length);
}

const at = (row: readonly number[], column: number): number => row[column] as number;
