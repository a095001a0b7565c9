import { type Decode, textDecoding } from './text-encoding.ts';

/** A file that cannot be read in its format; the message is for the operator. */
export class TransferFileError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'TransferFileError';
  }
}

/** In characters. No identity is longer: such a file has the wrong format, or no line breaks. */
const FIRST_ROW_MAX_CHARACTERS = 1_000_000;

/** For any row: the store accepts no request this long. */
export const ROW_MAX_CHARACTERS = 4_000_000;

/**
 * Rejects a file as soon as its first row is too long.
 * @throws TransferFileError
 */
export function expectRow(beginning: string): void {
  if (beginning.length > FIRST_ROW_MAX_CHARACTERS)
    throw new TransferFileError(
      'The first row of this file is longer than 1 MB. Each identity must be on its own row, ending with a line break.',
    );
}

export type TransferFormat = 'csv' | 'ndjson';

/** One identity of a file. Lines are counted from 1; a multi-line record has the number of its first line. */
export type SourceRecord =
  | { line: number; members: Record<string, unknown> }
  /** What is there cannot be read as an identity. */
  | { line: number; problem: string };

/** By file name, else by the first character. */
export async function formatOf(file: File): Promise<TransferFormat> {
  if (/\.(?:ndjson|jsonl|json)$/i.test(file.name)) return 'ndjson';
  if (/\.(?:csv|tsv)$/i.test(file.name)) return 'csv';
  return /^\uFEFF?\s*[{[]/.test(await file.slice(0, 200).text()) ? 'ndjson' : 'csv';
}

/** Streams the file's text without a byte order mark. @throws TransferFileError when it is no text */
export async function* textOf(file: Blob): AsyncGenerator<string> {
  const decode = textDecoding();
  const reader = file.stream().getReader();
  try {
    for (;;) {
      const piece = await reader.read().catch(() => {
        throw new TransferFileError('The file can no longer be read: it has changed since it was chosen.');
      });
      const text = textIn(decode, piece.value);
      if (text !== '') yield text;
      if (piece.done) return;
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}

function textIn(decode: Decode, bytes: Uint8Array | undefined): string {
  let text: string | undefined;
  try {
    text = decode(bytes);
  } catch {
    // Reported below.
  }
  // Workbooks and archives have such characters within their first bytes.
  if (text === undefined || text.includes('\0'))
    throw new TransferFileError('This file is not text. In a spreadsheet program, save it as “CSV UTF-8”.');
  return text;
}
