import type { Setting } from '../../../shared/settings.ts';

/** The categories in use, in alphabetical order. */
export const categoriesOf = (settings: readonly Setting[]): string[] =>
  [...new Set(settings.flatMap(({ category }) => category ?? []))].sort((a, b) => a.localeCompare(b));
