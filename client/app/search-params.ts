/** Plain strings both ways. The router's own notation would read the key `007` as a number and quote what looks like JSON. */
export const parseSearch = (search: string): Record<string, string> => Object.fromEntries(new URLSearchParams(search));

/** Absent and empty parameters leave the address. */
export function stringifySearch(search: Record<string, unknown>): string {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(search)) {
    if (value !== undefined && value !== '') params.set(name, String(value));
  }
  const text = params.toString();
  return text === '' ? '' : `?${text}`;
}

export const optionalText = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

/**
 * The one way for a route to read its address, as its `validateSearch`: what `parse` does not give back is absent. The
 * router itself would leave the address's own text there, unknown names and refused values too, and it would go into
 * requests.
 * @param parse gives back the search that it understands; what it leaves out is at its default
 */
export const strictSearch = <Parse extends (search: Record<string, unknown>) => object>(parse: Parse): Parse =>
  ((search) => ({ ...absent(Object.keys(search)), ...parse(search) })) as Parse;

const absent = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, undefined]));
