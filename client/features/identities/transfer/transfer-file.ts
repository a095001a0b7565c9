import { attempt } from '../../../../shared/json.ts';

/** Longer than any identity: a longer first row means a wrong format or missing line breaks. */
const FIRST_ROW_MAX_CHARACTERS = 1_000_000;

/** Limit for every row, since the store accepts no longer requests. */
export const ROW_MAX_CHARACTERS = 4_000_000;

/** Rejects a file as soon as its first row is too long. */
export function expectRow(beginning: string): void {
  if (beginning.length > FIRST_ROW_MAX_CHARACTERS)
    throw new Error(
      'The first row of this file is longer than 1 MB. Each identity must be on its own row, ending with a line break.',
    );
}

export type TransferFormat = 'csv' | 'ndjson';

/** One identity of a file. Lines count from 1; a multi-line record has the number of its first line. */
export type SourceRecord = { line: number; members: Record<string, unknown> } | { line: number; problem: string };

/** Detects the format by the file name, else by the first character. */
export async function formatOf(file: File): Promise<TransferFormat> {
  if (/\.(?:ndjson|jsonl|json)$/i.test(file.name)) return 'ndjson';
  if (/\.(?:csv|tsv)$/i.test(file.name)) return 'csv';
  return /^\uFEFF?\s*[{[]/.test(await file.slice(0, 200).text()) ? 'ndjson' : 'csv';
}

/** Streams the text of a file without a byte order mark. @throws if the file is not text */
export async function* textOf(file: Blob): AsyncGenerator<string> {
  const decoder = new TextDecoder(await readable(encodingOf(file)), { fatal: true });
  const reader = file.stream().getReader();
  try {
    for (;;) {
      const { value, done } = await readable(reader.read());
      const text = attempt(() => decoder.decode(value, { stream: !done }));
      // Workbooks and archives contain NUL or invalid characters in their first bytes.
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
