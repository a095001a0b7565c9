const REVOKE_AFTER_MS = 60_000;

export function saveFile(name: string, content: Blob): void {
  const address = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  document.body.append(link);
  link.click();
  link.remove();
  // The download starts later, and some browsers read the URL only then.
  setTimeout(() => URL.revokeObjectURL(address), REVOKE_AFTER_MS);
}

/** `identities-2026-11-21T0930.csv`: sorts by time and is valid on every system. */
export const fileName = (subject: string, extension: string, at = new Date()): string =>
  `${subject}-${at.toISOString().slice(0, 16).replace(':', '')}.${extension}`;

// CSV (RFC 4180). Spreadsheets execute cells that begin with certain characters as formulas, so such a cell gets a
// leading apostrophe. If it already has one, it gets another, so that `unescapeCell` can restore the exact text.

/** Without a byte order mark, spreadsheets assume a local encoding. */
const BYTE_ORDER_MARK = '\uFEFF';

/** Spreadsheets also accept full-width signs at the start of a formula. */
const FORMULA = /^(?:[\t\r\n]|\s*[=@＝＠])/;
const SIGNED = /^\s*[+\-＋－]/;
const NUMBER = /^[+-](?:\d{1,30}(?:[.,]\d{1,30})*|[.,]\d{1,30})(?:e[+-]?\d{1,4})?%?$/i;
const PHONE = /^\+\d[\d ()/.-]{0,40}$/;

const isFormula = (text: string): boolean =>
  FORMULA.test(text) || (SIGNED.test(text) && !NUMBER.test(text) && !PHONE.test(text));
const isProtected = (text: string): boolean => /^'+(?:[\t\r\n]|\s*[=@＝＠+\-＋－])/.test(text);

/** @param raw leaves formulas unescaped */
const escapeCell = (text: string, raw: boolean): string =>
  isProtected(text) || (!raw && isFormula(text)) ? `'${text}` : text;

export const unescapeCell = (cell: string): string => (isProtected(cell) ? cell.slice(1) : cell);

const quoted = (cell: string): string => (/[",;\r\n]|^\s|\s$/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);

/** A line with its line break. */
export const csvLine = (cells: readonly (string | number)[], { raw = false } = {}): string =>
  `${cells.map((cell) => quoted(escapeCell(String(cell), raw))).join(',')}\r\n`;

export const csvHeader = (names: readonly string[]): string => BYTE_ORDER_MARK + csvLine(names);
