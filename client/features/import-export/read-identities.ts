import { attempt, isObject, type JsonObject } from '../../../shared/json.ts';
import { parseExactJson } from '../../lib/json.ts';
import { jsonProblem } from '../../lib/json-problem.ts';
import { normalizeName, stateIn } from './account-state.ts';
import { COLUMNS_MAX, importColumns, type NamesIn, type TableBeginning } from './columns.ts';
import { readBeginning, readCsv } from './csv.ts';
import { areSynonyms } from './guess-columns.ts';
import { type CellKind, IMPORTED_MEMBERS, type SchemaColumns, valueIn } from './portable-identity.ts';
import { cellText, type FileOptions, recordOf, rowProblem, single } from './row-record.ts';
import { expectRow, ROW_MAX_CHARACTERS, type SourceRecord, type TransferFormat, textOf } from './transfer-file.ts';

export interface FileReading extends FileOptions {
  format: TransferFormat;
  /** For NDJSON from another system: the paths of its members, as found by `memberTable`. */
  header?: readonly string[] | undefined;
}

/** Streams the identities of a file, so that the whole file is never in memory. @throws an error for the operator */
export const readIdentities = (
  file: Blob,
  { format, ...reading }: FileReading,
  schemaColumns: SchemaColumns,
): AsyncGenerator<SourceRecord> => (format === 'csv' ? readCsv : readNdjson)(textOf(file), schemaColumns, reading);

/** @throws an error for the operator */
export const beginningOf = (file: Blob, format: TransferFormat, names: NamesIn | undefined): Promise<TableBeginning> =>
  format === 'csv' ? readBeginning(textOf(file), names) : memberTable(textOf(file));

/** Reads identities. With a header and a mapping, reads lines from another system. */
export async function* readNdjson(
  text: AsyncIterable<string>,
  schemaColumns: SchemaColumns,
  { header, mapping, states }: Omit<FileReading, 'format'> = {},
): AsyncGenerator<SourceRecord> {
  const columns = header && mapping && importColumns(header, schemaColumns, mapping);
  const table = columns && { header, columns, schemaColumns, states, readCell: memberValue };
  for await (const record of readLines(text)) {
    if ('problem' in record) yield record;
    else if (table === undefined) yield withKnownState(record, states);
    else yield recordOf(record.line, cellsOf(record, table.header), table);
  }
}

function withKnownState(record: SourceLine, states: FileOptions['states']): SourceRecord {
  const { state } = record.members;
  if (typeof state !== 'string') return record;
  return { ...record, members: { ...record.members, state: stateIn([['state', state]], states) ?? state } };
}

const SAMPLES = 3;

/**
 * Collects the members of all lines as columns, since any line may omit some. There are none if the lines are
 * identities in the dashboard's own format.
 */
async function memberTable(text: AsyncIterable<string>): Promise<TableBeginning> {
  const names = new Set<string>();
  const first: SourceLine[] = [];
  let note: string | undefined;
  for await (const record of readLines(text, (words) => (note = words))) {
    if ('problem' in record) continue;
    if ('traits' in record.members) return { header: [], samples: [], note };
    for (const [name] of leavesOf(record.members)) if (names.size < COLUMNS_MAX) names.add(name);
    if (first.length < SAMPLES) first.push(record);
  }
  const header = [...names];
  const samples = first.map((record) => cellsOf(record, header).map(sampleOf));
  return { header, samples: names.size === 0 ? [] : samples, note };
}

const sampleOf = (cell: unknown): string => cellText(isObject(single(cell)) ? cell : single(cell));

function cellsOf({ members }: SourceLine, header: readonly string[]): unknown[] {
  const values = new Map(leavesOf(members));
  return header.map((name) => values.get(name) ?? '');
}

function memberValue(value: unknown, kind: CellKind): unknown {
  if (value === '') return undefined;
  return kind === 'text' || (kind === 'boolean' && typeof value === 'string') ? valueIn(cellText(value), kind) : value;
}

const DEPTH_MAX = 5;

/** Other systems have other credentials than Kratos, so each of their members is a column. */
const WHOLE_MEMBERS = IMPORTED_MEMBERS.filter((column) => column !== 'credentials');

/** Flattens objects to paths, except for members that one column contains as a whole. */
export const leavesOf = (parent: JsonObject, parents: readonly string[] = []): [string, unknown][] =>
  Object.entries(parent).flatMap(([name, value]): [string, unknown][] => {
    const path = [...parents, name];
    const isLeaf =
      !isObject(value) || path.length >= DEPTH_MAX || WHOLE_MEMBERS.some((column) => hasMeaning(name, column));
    return isLeaf ? [[path.join('.'), value]] : leavesOf(value, path);
  });

const hasMeaning = (name: string, column: string): boolean =>
  normalizeName(name) === normalizeName(column) || areSynonyms(normalizeName(name), normalizeName(column));

type SourceLine = Extract<SourceRecord, { members: object }>;

/**
 * Reads one JSON object per line, or a document. Empty lines are skipped but counted.
 * @param onNote receives what the operator should know about a document
 */
async function* readLines(text: AsyncIterable<string>, onNote?: (note: string) => void): AsyncGenerator<SourceRecord> {
  let rest = '';
  let line = 0;
  let whole: boolean | undefined;
  for await (const piece of text) {
    const content = rest + piece;
    whole ??= isDocument(content);
    if (whole !== false) {
      rest = content;
      if (rest.length > DOCUMENT_MAX_CHARACTERS)
        throw new Error('This JSON document is longer than 50 MB. Put each identity on a line of its own (NDJSON).');
      continue;
    }
    const lines = content.split('\n');
    rest = lines.pop() ?? '';
    for (const [index, one] of lines.entries()) if (one.trim() !== '') yield lineOf(one, line + index + 1);
    line += lines.length;
    expectRow(rest, line + 1);
  }
  if (rest.trim() === '') return;
  if (whole === false) yield lineOf(rest, line + 1);
  else yield* documentRecords(rest, onNote);
}

function lineOf(content: string, line: number): SourceRecord {
  const members = attempt(() => parseExactJson(content));
  const problem = members === undefined ? undefined : rowProblem(content);
  if (problem !== undefined) return { line, problem };
  if (isObject(members)) return { line, members };
  return { line, problem: `This line is not ${members === undefined ? 'JSON' : 'a JSON object'}.` };
}

/** A document is parsed as a whole: this takes about a second, and six times as much memory. */
const DOCUMENT_MAX_CHARACTERS = 50_000_000;

/** Distinguishes a document from one object per line. Undefined until the second line begins. */
function isDocument(beginning: string): boolean | undefined {
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
function* documentRecords(text: string, onNote?: (note: string) => void): Generator<SourceRecord> {
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

const IDENTITY_NAMES = ['traits', 'username', 'email', 'phone'];
type List = readonly [name: string, entries: readonly unknown[]];

/** Undefined if the value is one identity. */
function listIn(value: unknown): List | undefined {
  const lists = listsIn('', value);
  const filled = lists.filter(([, entries]) => entries.length > 0);
  const identitiesMin = isIdentity(value) ? 2 : 1;
  const identityLists = filled.filter(([, entries]) => entries.filter(holdsIdentity).length >= identitiesMin);
  // A list beside or within an identity is not of identities.
  const [first, ...others] = identityLists.length > 0 || holdsIdentity(value) ? identityLists : filled;
  if (others.length === 0) return first ?? (holdsIdentity(value) ? undefined : lists[0]);
  const names = [first, ...others].map((list) => list?.[0]).join(', ');
  throw new Error(`This file has several lists: ${names}. Save the one with the people on its own.`);
}

/** The lists of objects, and objects of identities, that are not within an identity. */
function listsIn(name: string, value: unknown): List[] {
  if (Array.isArray(value)) return name === '' || value.length === 0 || value.some(isObject) ? [[name, value]] : [];
  if (!isObject(value)) return [];
  const members = Object.values(value);
  if (members.length > 1 && members.every(isIdentity)) return [[name, members]];
  return name !== '' && isIdentity(value) ? [] : Object.entries(value).flatMap(([key, member]) => listsIn(key, member));
}

const holdsIdentity = (value: unknown): boolean =>
  isIdentity(value) || (isObject(value) && Object.values(value).some(isIdentity));

const isIdentity = (value: unknown): boolean =>
  isObject(value) &&
  Object.keys(value)
    .map(normalizeName)
    .some((name) => name !== 'address' && IDENTITY_NAMES.some((one) => name === one || areSynonyms(name, one)));
