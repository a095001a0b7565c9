import { UNSEEN } from './visible-text.ts';

/** A value as JSON over several lines. What would not be seen in a text is escaped, which leaves it the same JSON. */
export const visibleJson = (value: unknown): string =>
  JSON.stringify(value, null, 2).replace(UNSEEN, (character) =>
    character === '\n' ? character : character.split('').map(escaped).join(''),
  );

/** @param unit one of UTF-16, of which characters beyond the first plane have two */
const escaped = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
