/** Quotes an argument for a POSIX shell, unless it is clearly harmless. */
export const shellQuoted = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;

/** A command with one group of arguments per line. */
export const shellCommand = (...lines: readonly (readonly string[])[]): string =>
  lines.map((line) => line.map(shellQuoted).join(' ')).join(' \\\n  ');
