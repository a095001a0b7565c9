/** `1,202`: as numbers stand on every page. */
export const digits = (count: number): string => count.toLocaleString('en');

/** `1 identity`, `1,202 identities`. */
export const counted = (count: number, one: string, many: string): string =>
  `${digits(count)} ${count === 1 ? one : many}`;
