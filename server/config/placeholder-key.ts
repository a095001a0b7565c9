/** Words that stand in examples. */
const EXAMPLE = /change|example|secret|test|your-/i;
const PERIOD_MAX = 16;

/** Whether a key looks as if it was copied from an example, or is a few characters over and over. */
export const looksLikePlaceholder = (key: string): boolean =>
  EXAMPLE.test(key) ||
  Array.from({ length: PERIOD_MAX }, (_, index) => index + 1).some((period) => key.startsWith(key.slice(period)));
