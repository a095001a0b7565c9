/**
 * `1,202`: an integer as shown on every page. Not with `Intl`, whose first use takes a slow machine a fifth of a
 * second, before the first row of a list.
 * @param count an integer
 */
export const digits = (count: number): string => String(count).replace(/\B(?=(?:\d{3})+$)/g, ',');

/** `1 identity`, `1,202 identities`. */
export const counted = (count: number, one: string, many: string): string =>
  `${digits(count)} ${count === 1 ? one : many}`;
