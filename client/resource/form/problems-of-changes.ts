import type { MemberChange } from './member-changes.ts';
import type { Problems } from './problems.ts';

/**
 * The problems without those that the stored version has as well, at members that are not replaced: what is not changed
 * never keeps something else from being saved.
 */
export const problemsOfChanges = (found: Problems, stored: Problems, changes: readonly MemberChange[]): Problems =>
  Object.fromEntries(
    Object.entries(found).filter(
      ([pointer, words]) =>
        stored[pointer] !== words || changes.some(({ path }) => `${pointer}/`.startsWith(`${path}/`)),
    ),
  );
