/** Increments the count of a name; undefined is not counted. */
export function countOne<K>(counts: Map<K, number>, name: K | undefined): void {
  if (name !== undefined) counts.set(name, (counts.get(name) ?? 0) + 1);
}

/** Names with their counts, largest first, then by name. */
export const largestFirst = (counts: ReadonlyMap<string, number>): [name: string, count: number][] =>
  [...counts].sort(([a, most], [b, count]) => count - most || (a < b ? -1 : 1));
