import type { PersonEntry } from './person-entry.ts';
import { isFoundBy } from './question-words.ts';

/** From inclusive, to exclusive: milliseconds since the epoch. */
export interface Period {
  from?: number | undefined;
  to?: number | undefined;
}

/** What is asked about people; absent members do not filter. */
export interface PersonQuestion {
  /** Of `questionWords`. */
  words?: readonly string[] | undefined;
  active?: boolean | undefined;
  schemaId?: string | undefined;
  verified?: boolean | undefined;
  created?: Period | undefined;
  updated?: Period | undefined;
}

/** Whether a person fits a question. */
export function fits(person: PersonEntry, question: PersonQuestion): boolean {
  const { words, active, schemaId, verified, created, updated } = question;
  return (
    (words === undefined || isFoundBy(person.words, words)) &&
    (active === undefined || person.active === active) &&
    (schemaId === undefined || person.schemaId === schemaId) &&
    (verified === undefined || (person.verified === true) === verified) &&
    isWithin(person.createdAt, created) &&
    isWithin(person.updatedAt, updated)
  );
}

const isWithin = (time: number, { from, to }: Period = {}): boolean =>
  (from === undefined || time >= from) && (to === undefined || time < to);
