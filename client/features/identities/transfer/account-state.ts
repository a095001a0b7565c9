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

/** How other systems export “no moment”. */
const NONE = /^(?:null|nil|none|never|nie|undefined|\\N|[-0:./\s]*(?:0T[0:.]+Z?)?)$/i;
const DAY_MS = 86_400_000;

/**
 * The state word of a cell. In a yes/no column such as `suspended`, yes means the word in its name and no means the
 * opposite. A past moment means yes; the operator decides about others, and about all in `blocked_until`.
 */
function wordIn(name: string, text: string): string {
  const flag = stateFlag(name);
  if (flag === undefined) return text;
  const value = valueIn(text, 'boolean');
  if (value === true) return flag.word;
  if (value === false) return knownState(flag.word) === 'active' ? 'inactive' : 'active';
  // Ten digits are seconds.
  const moment = /^\d{9,}$/.test(text) ? Number(text) * (text.length < 12 ? 1_000 : 1) : Date.parse(text);
  if (NONE.test(text) || moment < DAY_MS) return '';
  if (!/\d{4}/.test(text)) return text;
  if (Number.isNaN(moment)) return `${name} with a date`;
  const isFuture = moment > Date.now();
  return isFuture || UNTIL.test(flag.ending) ? `${name} in the ${isFuture ? 'future' : 'past'}` : flag.word;
}

/** Whether a column name refers to the state of an account. */
export const isStateColumn = (column: string): boolean =>
  stateFlag(column) !== undefined || STATE_NAMES.includes(normalizeName(column.split('.').at(-1) ?? ''));

/** The state word in the name of a column, and what follows it: `locked` and `on` for `account_locked_on`. */
function stateFlag(column: string): { word: string; ending: string } | undefined {
  for (const name of [column.split('.').at(-1) ?? '', column].map(normalizeName)) {
    const [, word = '', ending = ''] = FLAG.exec(name) ?? [];
    if (word !== '' && (ending === '' || knownState(word) !== 'active' || MOMENT.test(ending))) return { word, ending };
  }
  return undefined;
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
 * Words for account states in other systems, also found in names of columns. The operator decides about words that are
 * missing or undefined here.
 */
const STATE_WORDS = new Map<string, AccountState | undefined>([
  ...['active', 'enabled', 'aktiv', 'actif'].map((word) => [word, 'active'] as const),
  ...['inactive', 'suspended', 'deprovisioned', 'disabled', 'blocked', 'blocksignin', 'signinblocked', 'deactivated']
    .concat(['archived', 'deleted', 'banned', 'terminated', 'inaktiv', 'gesperrt', 'deaktiviert', 'inactif'])
    .concat(['suspension', 'deactivation', 'deletion', 'termination', 'geloscht', 'archiviert', 'desactive', 'bloque'])
    .map((word) => [word, 'inactive'] as const),
  // Some systems lock an account for minutes only.
  ['locked', undefined],
  ['lockout', undefined],
]);
const FLAG = new RegExp(
  `^(?:is|was|has|been|account|user|konto|status|date|login|pwd)*(${[...STATE_WORDS.keys()].join('|')})(.*)$`,
);
const UNTIL = /^(?:until|till?|to|bis|jusqu|end|expir)/;
const MOMENT = /^(?:at|on|since|from|until|till?|to|date|time|timestamp|am|seit|ab|bis|von|le|depuis)$/;
