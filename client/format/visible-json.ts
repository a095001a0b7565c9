import { UNSEEN } from './visible-text.ts';

/** A value as formatted JSON. Invisible characters are escaped, which leaves it the same JSON. */
export const visibleJson = (value: unknown): string =>
  JSON.stringify(value, null, 2).replace(UNSEEN, (character) =>
    character === '\n' ? character : character.split('').map(escaped).join(''),
  );

/** @param unit a UTF-16 code unit; characters beyond the BMP have two */
const escaped = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
