/** Counts one more under a name; nothing without one. */
export function countOne<K>(counts: Map<K, number>, name: K | undefined): void {
  if (name !== undefined) counts.set(name, (counts.get(name) ?? 0) + 1);
}

/** Names with their counts, the largest first, equal ones by name. */
export const largestFirst = (counts: ReadonlyMap<string, number>): [name: string, count: number][] =>
  [...counts].sort(([a, most], [b, count]) => count - most || (a < b ? -1 : 1));
