import type { Extension } from './session-queries.ts';

export const TOKENS_STAY = 'Tokens that applications already have stay valid until they expire.';

const NOT_ACTIVE = 'It is no longer active, so it cannot be extended.';

const NOT_LONGER =
  'Not extended. The identity service extends a session only within a set time before it ends (session.earliest_possible_extend).';

/** Why a session was not extended; undefined if it now ends later. */
export function notExtended({ before, after }: Extension): string | undefined {
  if (after === undefined) return NOT_ACTIVE;
  const [was, is] = [Date.parse(before), Date.parse(after)];
  if (is > was) return undefined;
  return is < was
    ? 'It now ends earlier: the identity service’s configured lifespan is shorter than the time that was left.'
    : NOT_LONGER;
}
