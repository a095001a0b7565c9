/** A file that cannot be read as what it is said to be; its message is for the operator. */
export class TransferFileError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'TransferFileError';
  }
}

/** In characters. No identity has more: what has is no such file, or one without line breaks. */
const FIRST_ROW_MAX_CHARACTERS = 1_000_000;

/** Of any row: the store takes no request that long. */
export const ROW_MAX_CHARACTERS = 4_000_000;

/**
 * Refuses what has come of a file's first row, as soon as that is too much to be one.
 * @throws TransferFileError
 */
export function expectRow(beginning: string): void {
  if (beginning.length > FIRST_ROW_MAX_CHARACTERS)
    throw new TransferFileError(
      'The first row of this file is longer than 1 MB. Each identity stands on a row of its own, which ends with a line break.',
    );
}

export type TransferFormat = 'csv' | 'ndjson';

/** One identity of a file. Line 1 is the first line; a record of several lines has that of its first. */
export type SourceRecord =
  | { line: number; members: Record<string, unknown> }
  /** What is there cannot be read as an identity. */
  | { line: number; problem: string };

/** By its name, else by its first character. */
export async function formatOf(file: File): Promise<TransferFormat> {
  if (/\.(?:ndjson|jsonl|json)$/i.test(file.name)) return 'ndjson';
  if (/\.(?:csv|tsv)$/i.test(file.name)) return 'csv';
  return /^\uFEFF?\s*[{[]/.test(await file.slice(0, 200).text()) ? 'ndjson' : 'csv';
}

/** The file's text piece by piece, without a byte order mark. @throws TransferFileError when it is not UTF-8 */
export async function* textOf(file: Blob): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const reader = file.stream().getReader();
  try {
    for (;;) {
      const piece = await reader.read().catch(() => {
        throw new TransferFileError('The file can no longer be read: it has changed since it was chosen.');
      });
      const text = decode(decoder, piece.value);
      if (text !== '') yield text;
      if (piece.done) return;
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}

function decode(decoder: TextDecoder, bytes: Uint8Array | undefined): string {
  try {
    return decoder.decode(bytes, { stream: bytes !== undefined });
  } catch {
    throw new TransferFileError('This file is not UTF-8 text. Spreadsheet programs offer it as “CSV UTF-8”.');
  }
}
