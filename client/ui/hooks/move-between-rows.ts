import type { KeyboardEvent } from 'react';

/** For a table's body: arrow keys, Home and End move between rows, to each row's first link. */
export function moveBetweenRows(event: KeyboardEvent<HTMLElement>): void {
  if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
  const rows = [...event.currentTarget.querySelectorAll<HTMLElement>('tr')];
  const at = rows.findIndex((row) => row.contains(document.activeElement));
  const next = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: rows.length - 1 }[event.key];
  if (next === undefined || at === -1) return;
  event.preventDefault();
  rows[next]?.querySelector<HTMLElement>('a')?.focus();
}
