/** What an order goes by: `created` of `-created`, the same descending. */
export const sortedBy = (sort: string): string => sort.replace(/^-/, '');

export const isDescending = (sort: string): boolean => sort.startsWith('-');

/** The order after a press on a heading: the reverse, if the list goes by it already, else what it asks for first. */
export function nextSort(sort: string, first: string): string {
  const by = sortedBy(first);
  if (sortedBy(sort) !== by) return first;
  return isDescending(sort) ? by : `-${by}`;
}
