/**
 * `1,202`: as numbers stand on every page. Not by `Intl`, whose first number or date keeps a slow machine for a fifth of
 * a second, before the first row of a list.
 * @param count an integer
 */
export const digits = (count: number): string => String(count).replace(/\B(?=(?:\d{3})+$)/g, ',');

/** `1 identity`, `1,202 identities`. */
export const counted = (count: number, one: string, many: string): string =>
  `${digits(count)} ${count === 1 ? one : many}`;
