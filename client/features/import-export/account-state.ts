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

/** How other systems export “no moment”, also as a negative number. */
const NONE = /^(?:null|nil|none|never|nie|undefined|\\N|-\d+|[-0:./\s]*(?:0T[0:.]+Z?)?)$/i;

/**
 * The state word of a cell. In a yes/no column such as `suspended`, yes means the word in its name and no means the
 * opposite. A past moment means yes, and no moment is no word; the operator decides about others, about all in
 * `blocked_until`, and about empty cells in `enabled`.
 */
function wordIn(name: string, text: string): string {
  const flag = stateFlag(name);
  if (flag === undefined) return text;
  const [yes, no, ending] = flag;
  if (YES.test(text)) return yes;
  if (NO.test(text)) return no;
  // Ten digits are seconds, and thirteen milliseconds. Other numbers count from various starts.
  const [, seconds] = /^(\d{9,10})(?:\d{3})?$/.exec(text) ?? [];
  const date = seconds === undefined ? text : new Date(Number(seconds) * 1_000).toISOString();
  const year = Number(/\b\d{4}\b/.exec(date.split(':', 1)[0] ?? '')?.[0]);
  // An earlier year is the zero of some system: 1, 1601, 1900 or 1970.
  if (NONE.test(text) || year < 1980) return knownState(yes) === 'active' ? `${name} without a value` : '';
  if (!/\d{4}/.test(text)) return text;
  const moment = Date.parse(date);
  if (Number.isNaN(moment + year)) return `${name} with a value`;
  const isFuture = moment > Date.now();
  return isFuture || UNTIL.test(ending) ? `${name} in the ${isFuture ? 'future' : 'past'}` : yes;
}

/** Whether a column name refers to the state of an account. */
export const isStateColumn = (column: string): boolean =>
  stateFlag(column) !== undefined || STATE_NAMES.test(normalizeName(column.split('.').at(-1) ?? ''));

/** What yes and no mean in `account_locked_on`, a state word among neutral words; undefined for `blocked_by`. */
function stateFlag(column: string): [yes: string, no: string, ending: string] | undefined {
  for (const name of [column.split('.').at(-1) ?? '', column].map(normalizeName)) {
    const [, not, word, ending = ''] = FLAG.exec(name) ?? [];
    if (word === undefined) continue;
    const opposite = knownState(word) === 'active' ? 'inactive' : 'active';
    return not === undefined ? [word, opposite, ending] : [opposite, word, ending];
  }
  return undefined;
}

export function knownState(word: string): AccountState | undefined {
  const found = KNOWN.exec(normalizeName(word));
  return found === null ? undefined : found[1] === undefined ? 'inactive' : 'active';
}

/** Strips everything but letters and digits, including accents and remarks: `[READ ONLY]`, `(Y/N)`, `Required`. */
export const normalizeName = (name: string): string =>
  name
    .replaceAll(/\[[^[\]]*\]|\([^()/=]*[/=][^()]*\)/g, ' ')
    .replace(/ required\s*$/i, '')
    .normalize('NFD')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, '');

const STATE_NAMES = /^(?:state|(?:account|user|member|konto)?status|accountstate|useraccountcontrol)$/;
const YES = /^(?:y|yes|t|true|1|on|x|ja|oui)$/i;
const NO = /^(?:n|no|f|false|0|off|nein|non)$/i;

// Words for account states in other systems, also found in names of columns. The operator decides about all others.
const ACTIVE = 'active|enabled|aktiv|actif';
const INACTIVE =
  '(?:in|de)activ(?:e|ated|ation)|suspen(?:ded|sion)|deprovisioned|disabled?|block(?:ed|signin)|signinblocked|archived|delet(?:ed?|ion)|del|ban(?:ned)?|terminat(?:ed|ion)|revoked|removed|closed|frozen|inaktiv|gesperrt|deaktiviert|geloscht|archiviert|inactif|desactive|bloque';
/** Some systems lock an account for minutes only, and some let an expired one sign in. */
const UNCLEAR = 'lock(?:ed|out)?|expired';
const KNOWN = new RegExp(`^(?:(${ACTIVE})|${INACTIVE})$`);
const NEUTRAL =
  '(?:is|was|has|been|acc(?:oun)?t|user|member|konto|login|signin|pwd|ns|soft|stat(?:e|us)|date|dt|time(?:stamp)?|at|on|since|from|fla?g|yn|yesno|ind(?:icator)?|am|seit|ab|von|le|depuis|until|till?|to|bis|jusqu|ends?|expir(?:es|y|ation))*';
const FLAG = new RegExp(`^${NEUTRAL}(non|not)?(${ACTIVE}|${INACTIVE}|${UNCLEAR})(${NEUTRAL})$`);
const UNTIL = /until|till?|to|bis|jusqu|end|expir/;
