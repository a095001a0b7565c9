import { type ColumnMapping, MEMBER_COLUMNS } from '../transfer/csv-columns.ts';
import { bare, HASH_NAMES, meanTheSame, PASSWORD_NAMES, stateOfWord, tellsState } from '../transfer/known-words.ts';
import { STORE_MADE_MEMBERS } from '../transfer/portable-identity.ts';
import { isEmail, type TableBeginning } from '../transfer/table-head.ts';
import type { TraitColumn } from '../transfer/trait-columns.ts';
import { HASH_COLUMN, looksHashed, PASSWORD_COLUMN } from './file-password.ts';

/**
 * Guesses what the columns of a file mean, the most certain match first. Each meaning is used once, except the state:
 * whoever is inactive in one of its columns must not arrive active.
 */
export function guessColumns({ header, samples }: TableBeginning, traits: readonly TraitColumn[]): ColumnMapping {
  const targets = [
    ...traits.map((trait) => ({ column: trait.column, names: namesOf(trait), isEmail: trait.isEmail })),
    ...MEMBER_COLUMNS.map((column) => ({ column, names: [bare(column)], isEmail: false })),
    { column: PASSWORD_COLUMN, names: PASSWORD_NAMES, isEmail: false },
    { column: HASH_COLUMN, names: HASH_NAMES, isEmail: false },
  ];
  const mapping: (string | undefined)[] = header.map(() => undefined);
  // Of a nested member, its path or its own name: `profile.email`.
  const bareNames = header.map((name) => [bare(name), bare(name.split('.').at(-1) ?? '')]);
  const isRegion = (index: number): boolean => isRegionOf({ header, samples }, index);
  const take = (fits: (target: (typeof targets)[number], name: string, index: number) => boolean): void => {
    for (const [index, name] of header.entries()) {
      if (mapping[index] !== undefined || STORE_MADE_MEMBERS.includes(name.trim()) || isRegion(index)) continue;
      mapping[index] = targets.find((target) => !mapping.includes(target.column) && fits(target, name, index))?.column;
    }
  };
  take((target, name) => target.column === name.trim());
  // Hashes mistaken for passwords would become passwords themselves.
  const isHashed = (index: number): boolean => samples.some((cells) => looksHashed((cells[index] ?? '').trim()));
  const isCalled = (index: number, known: readonly string[]): boolean =>
    bareNames[index]?.some((name) => known.includes(name)) ?? false;
  take(({ column, names }, _name, index) => isCalled(index, names) && (column !== PASSWORD_COLUMN || !isHashed(index)));
  take(({ column }, _name, index) => column === HASH_COLUMN && isHashed(index) && isCalled(index, PASSWORD_NAMES));
  for (const [index, name] of header.entries())
    if (mapping[index] === undefined && tellsState(name) && !isRegion(index)) mapping[index] = 'state';
  take(
    ({ names }, _name, index) => bareNames[index]?.some((name) => names.some((one) => meanTheSame(one, name))) ?? false,
  );
  take((target, _name, index) => target.isEmail && looksLikeEmail(samples, index));
  return mapping;
}

/** A state of the country, in a file where another column tells the state of the account. */
function isRegionOf({ header, samples }: TableBeginning, index: number): boolean {
  const words = samples.flatMap((cells) => cells[index]?.trim() || []);
  return (
    bare(header[index] ?? '') === 'state' &&
    header.some((name, other) => other !== index && tellsState(name)) &&
    words.length > 0 &&
    words.every((word) => stateOfWord(word) === undefined)
  );
}

/** Its title, its own name, and its path in both directions: `namefirst`, `firstname`. */
const namesOf = ({ title, steps }: TraitColumn): string[] =>
  [title, steps.at(-1) ?? '', steps.join(''), steps.toReversed().join('')].map(bare);

const looksLikeEmail = (samples: TableBeginning['samples'], index: number): boolean =>
  samples.some((cells) => isEmail(cells[index] ?? ''));
