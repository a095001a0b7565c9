const KEPT_MS = 60_000;

/** Saves a file through the browser's downloads. */
export function saveFile(name: string, content: Blob): void {
  const address = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  document.body.append(link);
  link.click();
  link.remove();
  // The download starts after this task, and some browsers read the URL only then.
  setTimeout(() => URL.revokeObjectURL(address), KEPT_MS);
}

/** `identities-2026-11-21T0930.csv`: sorts by time, and is a valid name on every system. */
export const fileName = (subject: string, extension: string, at = new Date()): string =>
  `${subject}-${at.toISOString().slice(0, 16).replace(':', '')}.${extension}`;

/**
 * The one writer of CSV (RFC 4180). Spreadsheet programs run a cell as a formula, by its first character; so such a
 * cell gets an apostrophe, which makes it text there. A cell that already looks protected gets one more, in every
 * file, so that `cellRead` takes off exactly what was put on.
 */

/** Without a byte order mark, spreadsheets assume the local code page. */
const BYTE_ORDER_MARK = '\uFEFF';

/** Full-width signs begin formulas too, where they are typed. */
const FORMULA = /^(?:[\t\r\n]|\s*[=@＝＠])/;
const SIGNED = /^\s*[+\-＋－]/;
const NUMBER = /^[+-](?:\d{1,30}(?:[.,]\d{1,30})*|[.,]\d{1,30})(?:e[+-]?\d{1,4})?%?$/i;
const PHONE = /^\+\d[\d ()/.-]{0,40}$/;

const isFormula = (text: string): boolean =>
  FORMULA.test(text) || (SIGNED.test(text) && !NUMBER.test(text) && !PHONE.test(text));
const isProtected = (text: string): boolean => text.startsWith("'") && isFormula(text.replace(/^'+/, ''));

/** @param raw leaves formulas as they are */
const cellWritten = (text: string, raw: boolean): string =>
  isProtected(text) || (!raw && isFormula(text)) ? `'${text}` : text;

/** What the writer was given for a cell. */
export const cellRead = (cell: string): string => (isProtected(cell) ? cell.slice(1) : cell);

const quoted = (cell: string): string => (/[",;\r\n]|^\s|\s$/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);

/** One line, including its line break. */
export const csvLine = (cells: readonly (string | number)[], { raw = false } = {}): string =>
  `${cells.map((cell) => quoted(cellWritten(String(cell), raw))).join(',')}\r\n`;

/** The beginning of a file. */
export const csvHeader = (names: readonly string[]): string => BYTE_ORDER_MARK + csvLine(names);
