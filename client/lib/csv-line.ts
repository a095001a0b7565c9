/** One line of a CSV file (RFC 4180), its line break included. */
export const csvLine = (cells: readonly string[]): string => `${cells.map(quoted).join(',')}\r\n`;

const quoted = (cell: string): string => (/[",\r\n]|^\s|\s$/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);

/**
 * A cell for a report that people open in a spreadsheet: what begins like a formula would be run as one. The
 * apostrophe makes it text, and changes it, so this is not for files that are read again.
 */
export const reportCell = (text: string): string => (/^[=+\-@\t\r]/.test(text) ? `'${text}` : text);

/** A report's line. */
export const reportLine = (cells: readonly (string | number)[]): string =>
  csvLine(cells.map((cell) => reportCell(String(cell))));

/** Spreadsheets take a file without this mark for one in the local code page. */
export const REPORT_START = '\uFEFF';
