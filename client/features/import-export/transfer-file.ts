import { attempt } from '../../../shared/json.ts';

/** The store accepts no longer requests, so a longer row means a missing line break or quotation mark. */
export const ROW_MAX_CHARACTERS = 4_000_000;

export function expectRow(row: string, line: number): void {
  if (row.length > ROW_MAX_CHARACTERS)
    throw new Error(`Line ${line} is longer than 4 MB. A line break or a quotation mark at the end is missing.`);
}

export type TransferFormat = 'csv' | 'ndjson';

/** One identity of a file. Lines count from 1; a multi-line record has the number of its first line. */
export type SourceRecord = { line: number; members: Record<string, unknown> } | { line: number; problem: string };

/** Detects the format by the file name and the first characters. */
export async function formatOf(file: File): Promise<TransferFormat> {
  if (/\.(?:ndjson|jsonl|json)$/i.test(file.name)) return 'ndjson';
  // The names of columns may be in brackets.
  const json = /\.(?:csv|tsv)$/i.test(file.name) ? /^\s*(?:\{\s*"|\[\s*\{)/ : /^\s*[{[]/;
  return json.test(await beginningOf(file)) ? 'ndjson' : 'csv';
}

/** The first bytes of a file as characters, without a byte order mark and the NULs of UTF-16. */
const beginningOf = async (file: Blob): Promise<string> =>
  String.fromCharCode(...(await bytesOf(file, 0, 1_000)))
    .replace(/^(?:\xef\xbb\xbf|\xff\xfe|\xfe\xff)/, '')
    .replaceAll('\0', '');

const WORKBOOK = 'is a workbook (Excel, LibreOffice or Numbers). Open it there, and save it as “CSV UTF-8”.';
/** Other formats by their first characters, with what to do. */
const OTHER_FORMATS: readonly (readonly [RegExp, string])[] = [
  [/^\W\x8b/, 'is compressed with gzip. Unpack it, and choose the file in it.'],
  [/^(?:\xd0\xcf\W\xe0|PK\W{2}.{0,40}(?:\[Con|_rels|docP|xl\/|mimetypeapp|Index\/))/s, WORKBOOK],
  [/^(?:PK\W{2}|BZh\d|7z\xbc|Rar!|\xfd7zXZ|\(\xb5\/\xfd)/, 'is an archive. Unpack it, and choose the file in it.'],
  [/^(?:#.*\n|\s)*(?:version: *\d+\s*\n|dn::? )/i, 'is an LDIF file. Convert it to CSV, with a column per attribute.'],
  [/^\s*BEGIN:V/i, 'is a vCard file. Export the contacts as CSV instead.'],
  [/^\s*<[?!a-z][\w:.-]*[\s>]/i, 'is HTML or XML. Export the people as CSV or JSON instead.'],
  [/^(?:---\s*\n|(?:#.*\n|\w+:\s)*\s*- \w+: )/, 'is a YAML file. Convert it to JSON.'],
  [/^\s*(?:--\s|\/\*|INSERT INTO |CREATE TABLE )/i, 'is an SQL dump. Export the table of people as CSV.'],
  [/^(?:%PDF|\{\\rtf)/, 'is a document without rows. Export the people as CSV or JSON instead.'],
];

/** Streams the text of a file without a byte order mark. @throws if the file has another format or is not text */
export async function* textOf(file: Blob): AsyncGenerator<string> {
  const beginning = await readable(beginningOf(file));
  const [, other] = OTHER_FORMATS.find(([pattern]) => pattern.test(beginning)) ?? [];
  if (other !== undefined) throw new Error(`This file ${other}`);
  const decoder = new TextDecoder(await readable(encodingOf(file)), { fatal: true });
  const reader = file.stream().getReader();
  try {
    for (;;) {
      const { value, done } = await readable(reader.read());
      const text = attempt(() => decoder.decode(value, { stream: !done }));
      if (text === undefined || text.includes('\0'))
        throw new Error('This file is not text. In a spreadsheet program, save it as “CSV UTF-8”.');
      if (text !== '') yield text;
      if (done) return;
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}

const readable = <T>(reading: Promise<T>): Promise<T> =>
  reading.catch(() => {
    throw new Error('The file can no longer be read. It may have been changed or moved. Choose it again.');
  });

/**
 * Detects UTF-16 by the byte order mark that spreadsheet programs write. Without one, the first non-ASCII character
 * decides between UTF-8 and Windows-1252.
 */
async function encodingOf(file: Blob): Promise<string> {
  const [first, second] = await bytesOf(file, 0, 2);
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  for (let start = 0; start < file.size; start += SLICE_BYTES) {
    const index = (await bytesOf(file, start)).findIndex((byte) => byte > 0x7f);
    if (index < 0) continue;
    const [lead = 0] = await bytesOf(file, start + index, 1);
    const character = await bytesOf(file, start + index, lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2);
    const isUtf8 = attempt(() => new TextDecoder('utf-8', { fatal: true }).decode(character)) !== undefined;
    return isUtf8 ? 'utf-8' : 'windows-1252';
  }
  return 'utf-8';
}

export const SLICE_BYTES = 4_194_304;

export const bytesOf = async (file: Blob, start: number, length = SLICE_BYTES): Promise<Uint8Array> =>
  new Uint8Array(await file.slice(start, start + length).arrayBuffer());
