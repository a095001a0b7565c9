import { valueIn } from './csv-cells.ts';
import { type AccountState, bare, stateFlag, stateOfWord } from './known-words.ts';

/** What the operator says of words that no table knows. */
export type StateAnswers = ReadonlyMap<string, AccountState>;

/**
 * What the columns of a row say of its state together: active only if all say so. A word that nobody knows is
 * returned as it is, to be asked for.
 */
export function stateIn(
  columns: readonly (readonly [name: string, text: string])[],
  answers: StateAnswers = new Map(),
): string | undefined {
  const said = columns.flatMap(([name, text]) => {
    const word = wordIn(name, text.trim());
    return word === '' ? [] : [answers.get(bare(word)) ?? stateOfWord(word) ?? word];
  });
  return said.find((state) => state === 'inactive') ?? said.find((state) => state !== 'active') ?? said[0];
}

export const isState = (text: string): text is AccountState => text === 'active' || text === 'inactive';

/** `suspended` with a yes is the word itself, with a no the opposite of what it means. */
function wordIn(name: string, text: string): string {
  const flag = stateFlag(name);
  const answer = flag === undefined ? undefined : valueIn(text, 'boolean');
  if (flag === undefined || typeof answer !== 'boolean') return text;
  if (answer) return flag;
  return stateOfWord(flag) === 'active' ? 'inactive' : 'active';
}
