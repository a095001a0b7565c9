import { valueIn } from './portable-identity.ts';

export type AccountState = 'active' | 'inactive';

export const isState = (text: string): text is AccountState => text === 'active' || text === 'inactive';

/** The meaning that the operator gave to unknown words, by their normalized names. */
export type StateMeanings = ReadonlyMap<string, AccountState>;

/**
 * The state that the columns of a row give together: active only if all say so. An unknown word is returned as it is,
 * so that the operator can be asked for its meaning.
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

/** `suspended` with a yes is the word itself, with a no the opposite of what it means. */
function wordIn(name: string, text: string): string {
  const flag = stateFlag(name);
  const value = flag === undefined ? undefined : valueIn(text, 'boolean');
  if (flag === undefined || typeof value !== 'boolean') return text;
  if (value) return flag;
  return knownState(flag) === 'active' ? 'inactive' : 'active';
}

/** Whether a column holds the state of an account, by its name. */
export const isStateColumn = (column: string): boolean =>
  stateFlag(column) !== undefined || STATE_NAMES.includes(normalizeName(column.split('.').at(-1) ?? ''));

/** The word that a column says yes or no to: `suspended` for `isSuspended`; undefined for other columns. */
function stateFlag(column: string): string | undefined {
  const name = normalizeName(column.split('.').at(-1) ?? '').replace(/^(?:is|account|user)(?=\p{L})/u, '');
  return STATE_WORDS.has(name) ? name : undefined;
}

export const knownState = (word: string): AccountState | undefined => STATE_WORDS.get(normalizeName(word));

/** Letters and digits alone, without accents and remarks such as `[READ ONLY]`, `(Yes/No)` and `Required`. */
export const normalizeName = (name: string): string =>
  name
    .replaceAll(/\[[^[\]]*\]|\(yes\/no\)/gi, ' ')
    .replace(/ required\s*$/i, '')
    .normalize('NFD')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, '');

const STATE_NAMES = ['state', 'status', 'accountstatus', 'userstatus', 'accountstate', 'kontostatus'];

/**
 * What other systems call the states of an account; a column may have such a name, and yes or no as its values. The
 * operator is asked for words that are missing or undecided here.
 */
const STATE_WORDS = new Map<string, AccountState | undefined>([
  ...['active', 'enabled', 'aktiv', 'actif'].map((word) => [word, 'active'] as const),
  ...['inactive', 'suspended', 'deprovisioned', 'disabled', 'blocked', 'blocksignin', 'signinblocked', 'deactivated']
    .concat(['archived', 'deleted', 'banned', 'terminated', 'inaktiv', 'gesperrt', 'deaktiviert', 'inactif'])
    .map((word) => [word, 'inactive'] as const),
  // Some systems lock an account for minutes.
  ['locked', undefined],
]);
