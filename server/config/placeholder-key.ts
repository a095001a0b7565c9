/** Words typical of examples. */
const EXAMPLE = /change|example|secret|test|your-/i;
const PERIOD_MAX = 16;

/** Whether a key looks copied from an example, or repeats a few characters. */
export const looksLikePlaceholder = (key: string): boolean =>
  EXAMPLE.test(key) ||
  Array.from({ length: PERIOD_MAX }, (_, index) => index + 1).some((period) => key.startsWith(key.slice(period)));
