/** Prints rows of figures under a title, rounded to significant digits. */
export function printTable(title: string, rows: Record<string, Record<string, number | string>>): void {
  const columns = [...new Set(Object.values(rows).flatMap((row) => Object.keys(row)))];
  const lines = Object.entries(rows).map(([name, row]) => [name, ...columns.map((column) => shown(row[column]))]);
  const table = [['', ...columns], ...lines];
  const widths = table[0]?.map((_, index) => Math.max(...table.map((line) => line[index]?.length ?? 0))) ?? [];
  const text = table.map((line) =>
    line
      .map((cell, index) => (index === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[index] ?? 0)))
      .join('  '),
  );
  process.stdout.write(`\n${title}\n${text.join('\n')}\n`);
}

function shown(value: number | string | undefined): string {
  if (typeof value !== 'number') return value ?? '';
  if (Math.abs(value) >= 1000) return Math.round(value).toString();
  return Math.abs(value) >= 10 ? value.toFixed(1) : value.toFixed(2);
}
