import { VARIABLES, type Variable } from './variables.ts';

/** A variable that is set and not read, though its name is one of ours or almost. */
export interface Unread {
  variable: string;
  /** The rest of the sentence; names no value. */
  text: string;
  action: string;
}

/** Letters and digits; the names of others are as near to a shorter one by chance. */
const ONE_EDIT_FROM = 7;
const TWO_EDITS_FROM = 11;

const SERVICE_LINK = {
  text: 'is ignored: Kubernetes has set it for a Service of that name (enableServiceLinks)',
  action: 'Set enableServiceLinks: false in the pod, or the variable to what is meant.',
};

const CORRECT = 'Correct the name, or unset it.';

const known = new Set<string>(VARIABLES);
const bare = (name: string): string => name.replace(/[^a-z0-9]/gi, '').toUpperCase();
const ours = VARIABLES.map((name) => ({ name, letters: bare(name) }));

/** The address of a Service, as Kubernetes puts it into every container of its namespace: `METRICS_PORT=tcp://10.0.0.1:80`. */
const isServiceAddress = (value: string | undefined): boolean => /^(?:tcp|udp|sctp):\/\//.test(value?.trim() ?? '');

/** Whether one of our variables has its value from a Service that happens to have its name. */
export const isServiceLink = (name: string, value: string | undefined): boolean =>
  /_(?:PORT|HOST)$/.test(name) && isServiceAddress(value);

/**
 * Finds names that differ from one of ours in case or separators, or by a letter or two if it is long, and ours if
 * Kubernetes has set them. An empty variable counts as unset.
 */
export const unreadVariables = (env: NodeJS.ProcessEnv): Unread[] =>
  Object.keys(env)
    .filter((name) => /^[\w.-]+$/.test(name) && env[name]?.trim())
    .flatMap((variable) => {
      if (known.has(variable)) return isServiceLink(variable, env[variable]) ? [{ variable, ...SERVICE_LINK }] : [];
      if (isServiceAddress(env[variable])) return [];
      const meant = nearest(bare(variable));
      return meant === undefined ? [] : [{ variable, text: `is not read: is ${meant} meant?`, action: CORRECT }];
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
