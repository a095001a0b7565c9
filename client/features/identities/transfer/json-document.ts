import { attempt, isObject } from '../../../../shared/json.ts';
import { parseExactJson } from '../../../lib/json.ts';
import { jsonProblem } from '../../../lib/json-problem.ts';
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
 * Reads one identity, a list, or the only list in an object.
 * @throws an error for the operator that says where the document is broken, or which lists it has
 */
export function* documentRecords(text: string, onNote?: (note: string) => void): Generator<SourceRecord> {
  const value = attempt(() => parseExactJson(text));
  if (value === undefined) throw new Error(`This file is not valid JSON. ${jsonProblem(text)}`);
  const list = listIn(value);
  if (list !== undefined) onNote?.('Line numbers count the identities in this JSON document.');
  for (const [index, members] of (list ?? [value]).entries())
    yield isObject(members)
      ? { line: index + 1, members }
      : { line: index + 1, problem: 'This entry is not a JSON object.' };
}

/** Undefined if the value is one identity. */
function listIn(value: unknown): readonly unknown[] | undefined {
  if (Array.isArray(value)) return value;
  if (!isObject(value) || isPerson(value)) return undefined;
  const lists = Object.entries(value).flatMap(([name, list]) =>
    Array.isArray(list) && list.some(isObject) ? [{ name, list: list as unknown[] }] : [],
  );
  const [only, ...others] = lists.length > 1 ? lists.filter(({ list }) => list.some(isPerson)) : lists;
  if (only !== undefined && others.length === 0) return only.list;
  const names = lists.map(({ name }) => name).join(', ');
  if (names !== '') throw new Error(`This file has several lists: ${names}. Save the one with the people on its own.`);
  const objects = Object.values(value).filter(isObject);
  if (objects.length === 1) return listIn(objects[0]);
  return objects.length > 1 && objects.every(isPerson) ? objects : undefined;
}

const isPerson = (value: unknown): boolean =>
  isObject(value) &&
  Object.keys(value)
    .map(normalizeName)
    .some((name) => /^(?:traits|username)$/.test(name) || areSynonyms(name, 'email') || areSynonyms(name, 'phone'));
