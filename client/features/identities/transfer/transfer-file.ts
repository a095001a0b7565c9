/** Decodes a file piece by piece; the last call has no bytes. @throws TypeError for bytes that are no text */
type Decode = (bytes: Uint8Array | undefined) => string;

/** The longest character of UTF-8. */
const CHARACTER_MAX = 4;

/**
 * UTF-16 begins with a byte order mark, as spreadsheet programs write it. Anything else is UTF-8 if its first
 * character beyond ASCII is, and Windows-1252 if not: until then, both are the same.
 */
export function textDecoding(): Decode {
  let decoder: TextDecoder | undefined;
  let buffered: Uint8Array = new Uint8Array();
  let isStart = true;
  return (bytes) => {
    const stream = bytes !== undefined;
    if (decoder !== undefined) return decoder.decode(bytes, { stream });
    const all = joined(buffered, bytes);
    if (stream && all.length < CHARACTER_MAX) {
      buffered = all;
      return '';
    }
    if (isStart && all[0] === 0xff && all[1] === 0xfe) decoder = new TextDecoder('utf-16le', { fatal: true });
    else if (isStart && all[0] === 0xfe && all[1] === 0xff) decoder = new TextDecoder('utf-16be', { fatal: true });
    if (decoder !== undefined) return decoder.decode(all, { stream });
    const first = all.findIndex((byte) => byte > 0x7f);
    const end = first === -1 ? all.length : first;
    const ascii = new TextDecoder().decode(all.subarray(0, end));
    buffered = all.subarray(end);
    if (buffered.length === 0 || (stream && buffered.length < CHARACTER_MAX)) {
      isStart &&= end === 0;
      return ascii;
    }
    // A mark that is not the file's first character is a character of its text.
    decoder = beginsAsUtf8(buffered)
      ? new TextDecoder('utf-8', { fatal: true, ignoreBOM: !isStart || end > 0 })
      : new TextDecoder('windows-1252');
    return ascii + decoder.decode(buffered, { stream });
  };
}

function beginsAsUtf8(bytes: Uint8Array): boolean {
  const [lead = 0] = bytes;
  const length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes.subarray(0, length));
    return true;
  } catch {
    return false;
  }
}

function joined(before: Uint8Array, after: Uint8Array = new Uint8Array()): Uint8Array {
  if (before.length === 0) return after;
  const all = new Uint8Array(before.length + after.length);
  all.set(before);
  all.set(after, before.length);
  return all;
}

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
