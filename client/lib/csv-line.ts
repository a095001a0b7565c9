/** One line of a CSV file (RFC 4180), including its line break. */
export const csvLine = (cells: readonly string[]): string => `${cells.map(quoted).join(',')}\r\n`;

const quoted = (cell: string): string => (/[",\r\n]|^\s|\s$/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);

/**
 * A cell for a report that people open in a spreadsheet, which would run text that looks like a formula. The
 * apostrophe marks it as text but changes it, so this is not for files that are imported again.
 */
export const reportCell = (text: string): string => (/^[=+\-@\t\r]/.test(text) ? `'${text}` : text);

export const reportLine = (cells: readonly (string | number)[]): string =>
  csvLine(cells.map((cell) => reportCell(String(cell))));

/** Without a byte order mark, spreadsheets assume the local code page. */
export const REPORT_START = '\uFEFF';
