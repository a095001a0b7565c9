import type { Extension } from './session-queries.ts';

export const TOKENS_STAY = 'Tokens that applications hold already stay valid until they expire.';

const NOT_ACTIVE = 'It is no longer active: nothing extends it.';

const NOT_LONGER =
  'Nothing changed: it ends when it did before. The identity service extends a session only within a certain time before its end (session.earliest_possible_extend).';

/** What stopped a session from being extended; undefined for one that now ends later. */
export function notExtended({ before, after }: Extension): string | undefined {
  if (after === undefined) return NOT_ACTIVE;
  const [was, is] = [Date.parse(before), Date.parse(after)];
  if (is > was) return undefined;
  return is < was ? 'It now ends earlier than before: the identity service grants less time than it had.' : NOT_LONGER;
}
