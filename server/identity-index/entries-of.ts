/**
 * Rows that cannot be read are left out: they have no id to be found by, and a single one must not keep everybody else
 * out. Of a list in which no row can be read, it is better to keep what was known.
 * @param page the JSON of a list, as the store sent it
 * @throws SyntaxError
 */
export function entriesOf<T>(page: string, read: (row: unknown) => T | undefined): T[] {
  const list: unknown = JSON.parse(page);
  const entries = Array.isArray(list) ? list.map(read).filter((entry) => entry !== undefined) : [];
  if (!Array.isArray(list) || (entries.length === 0 && list.length > 0)) throw new SyntaxError('not such a list');
  return entries;
}
