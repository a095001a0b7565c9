import { attempt, isObject } from '../../../shared/json.ts';
import { parseExactJson } from '../../lib/json.ts';
import { jsonProblem } from '../../lib/json-problem.ts';
import { normalizeName } from './account-state.ts';
import { areSynonyms } from './guess-columns.ts';
import { ROW_MAX_CHARACTERS, type SourceRecord } from './transfer-file.ts';

/** A document is parsed as a whole: this takes about a second, and six times as much memory. */
export const DOCUMENT_MAX_CHARACTERS = 50_000_000;

/** Distinguishes a document from one object per line. Undefined until the second line begins. */
export function isDocument(beginning: string): boolean | undefined {
  if (/^\s*[^\s[{]/.test(beginning)) return false;
  const [, first = '', second] = /^\s*(\S[^\n]*)\n\s*(\S)/.exec(beginning) ?? [];
  if (second === undefined) return beginning.length > ROW_MAX_CHARACTERS || undefined;
  // A first line with an error is still a line if it ends as the second begins.
  return !/^\{.*\}\s*\{$/.test(first + second) && !isObject(attempt(() => parseExactJson(first)));
}

/**
 * Reads one identity, a list, or the only list in an object, at any depth.
 * @throws an error for the operator that says where the document is broken, or which lists it has
 */
export function* documentRecords(text: string, onNote?: (note: string) => void): Generator<SourceRecord> {
  const problem = jsonProblem(text);
  if (/nothing more, found “[[{]/.test(problem ?? ''))
    throw new Error('This file has several JSON documents. Put each on a line of its own (NDJSON), as “jq -c” does.');
  if (problem !== undefined) throw new Error(`This file is not valid JSON. ${problem}`);
  const value = parseExactJson(text);
  const [name, entries] = listIn(value) ?? [undefined, [value]];
  if (name !== undefined)
    onNote?.(`Line numbers count the identities in ${name && `“${name}” of `}this JSON document.`);
  for (const [index, members] of entries.entries())
    yield isObject(members)
      ? { line: index + 1, members }
      : { line: index + 1, problem: 'This entry is not a JSON object.' };
}

const PERSON_NAMES = ['traits', 'username', 'email', 'phone'];
type List = readonly [name: string, entries: readonly unknown[]];

/** Undefined if the value is one identity. */
function listIn(value: unknown): List | undefined {
  const lists = listsIn('', value);
  const filled = lists.filter(([, entries]) => entries.length > 0);
  const peopleMin = isPerson(value) ? 2 : 1;
  const people = filled.filter(([, entries]) => entries.filter(holdsPerson).length >= peopleMin);
  // A list beside or within a person is not of people.
  const [first, ...others] = people.length > 0 || holdsPerson(value) ? people : filled;
  if (others.length === 0) return first ?? (holdsPerson(value) ? undefined : lists[0]);
  const names = [first, ...others].map((list) => list?.[0]).join(', ');
  throw new Error(`This file has several lists: ${names}. Save the one with the people on its own.`);
}

/** The lists of objects, and objects of people, that are not within a person. */
function listsIn(name: string, value: unknown): List[] {
  if (Array.isArray(value)) return name === '' || value.length === 0 || value.some(isObject) ? [[name, value]] : [];
  if (!isObject(value)) return [];
  const members = Object.values(value);
  if (members.length > 1 && members.every(isPerson)) return [[name, members]];
  return name !== '' && isPerson(value) ? [] : Object.entries(value).flatMap(([key, member]) => listsIn(key, member));
}

const holdsPerson = (value: unknown): boolean =>
  isPerson(value) || (isObject(value) && Object.values(value).some(isPerson));

const isPerson = (value: unknown): boolean =>
  isObject(value) &&
  Object.keys(value)
    .map(normalizeName)
    .some((name) => name !== 'address' && PERSON_NAMES.some((one) => name === one || areSynonyms(name, one)));
