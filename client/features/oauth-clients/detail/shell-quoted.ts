/** One argument for a POSIX shell, whatever stands in it. Only what is plainly harmless goes without quotes. */
export const shellQuoted = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;

/** A command on several lines, one argument group on each. */
export const shellCommand = (...lines: readonly (readonly string[])[]): string =>
  lines.map((line) => line.map(shellQuoted).join(' ')).join(' \\\n  ');
