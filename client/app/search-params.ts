/**
 * Plain strings in both directions. The router's own format would parse the key `007` as a number and quote anything
 * that looks like JSON.
 */
export const parseSearch = (search: string): Record<string, string> => Object.fromEntries(new URLSearchParams(search));

/** Omits absent and empty parameters. */
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
 * Every route reads its search parameters through this, as `validateSearch`: whatever `parse` does not return is
 * absent. The router itself would keep unknown names and rejected values, and they would end up in requests.
 * @param parse returns the parameters that it accepts; the others get their defaults
 */
export const strictSearch = <Parse extends (search: Record<string, unknown>) => object>(parse: Parse): Parse =>
  ((search) => ({ ...absent(Object.keys(search)), ...parse(search) })) as Parse;

const absent = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, undefined]));
