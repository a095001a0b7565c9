import type { Setting } from '../../../shared/settings.ts';

export const categoriesOf = (settings: readonly Setting[]): string[] =>
  [...new Set(settings.flatMap(({ category }) => category ?? []))].sort((a, b) => a.localeCompare(b));
