import { valueIn } from './portable-identity.ts';

export type AccountState = 'active' | 'inactive';

export const isState = (text: string): text is AccountState => text === 'active' || text === 'inactive';

/** The meanings that the operator chose for unknown words, keyed by normalized word. */
export type StateMeanings = ReadonlyMap<string, AccountState>;

/**
 * Combines the state columns of a row: active only if no cell says otherwise. Returns an unknown word unchanged, so that
 * the operator can choose its meaning.
 */
export function stateIn(
  columns: readonly (readonly [name: string, text: string])[],
  meanings: StateMeanings = new Map(),
): string | undefined {
  const states = columns.flatMap(([name, text]) => {
    const word = wordIn(name, text.trim());
    return word === '' ? [] : [meanings.get(normalizeName(word)) ?? knownState(word) ?? word];
  });
  return states.find((state) => state === 'inactive') ?? states.find((state) => state !== 'active') ?? states[0];
}

/** In a yes/no column such as `suspended`, yes means the word in its name and no means the opposite. */
function wordIn(name: string, text: string): string {
  const flag = stateFlag(name);
  const value = flag === undefined ? undefined : valueIn(text, 'boolean');
  if (flag === undefined || typeof value !== 'boolean') return text;
  if (value) return flag;
  return knownState(flag) === 'active' ? 'inactive' : 'active';
}

/** Whether a column name refers to the state of an account. */
export const isStateColumn = (column: string): boolean =>
  stateFlag(column) !== undefined || STATE_NAMES.includes(normalizeName(column.split('.').at(-1) ?? ''));

/** The state word in the name of a yes/no column: `suspended` for `isSuspended`; undefined for other columns. */
function stateFlag(column: string): string | undefined {
  const name = normalizeName(column.split('.').at(-1) ?? '').replace(/^(?:is|account|user)(?=\p{L})/u, '');
  return STATE_WORDS.has(name) ? name : undefined;
}

export const knownState = (word: string): AccountState | undefined => STATE_WORDS.get(normalizeName(word));

/** Strips everything but letters and digits, including accents and remarks: `[READ ONLY]`, `(Yes/No)`, `Required`. */
export const normalizeName = (name: string): string =>
  name
    .replaceAll(/\[[^[\]]*\]|\(yes\/no\)/gi, ' ')
    .replace(/ required\s*$/i, '')
    .normalize('NFD')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, '');

const STATE_NAMES = ['state', 'status', 'accountstatus', 'userstatus', 'accountstate', 'kontostatus'];

/**
 * Words for account states in other systems, also used as names of yes/no columns. The operator decides about words
 * that are missing or undefined here.
 */
const STATE_WORDS = new Map<string, AccountState | undefined>([
  ...['active', 'enabled', 'aktiv', 'actif'].map((word) => [word, 'active'] as const),
  ...['inactive', 'suspended', 'deprovisioned', 'disabled', 'blocked', 'blocksignin', 'signinblocked', 'deactivated']
    .concat(['archived', 'deleted', 'banned', 'terminated', 'inaktiv', 'gesperrt', 'deaktiviert', 'inactif'])
    .map((word) => [word, 'inactive'] as const),
  // Some systems lock an account for minutes only.
  ['locked', undefined],
]);
