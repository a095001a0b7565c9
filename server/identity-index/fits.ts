import { isFoundBy } from './fold.ts';
import type { PersonEntry } from './person-entry.ts';
import type { Period, Question } from './question.ts';

/** Whether a person fits a question, as far as the person alone says so: not by their sessions. */
export function fits(person: PersonEntry, { text, active, schemaId, verified, created, updated }: Question): boolean {
  return (
    (text === undefined || isFoundBy(person.texts, text)) &&
    (active === undefined || person.active === active) &&
    (schemaId === undefined || person.schemaId === schemaId) &&
    (verified === undefined || (person.verified === true) === verified) &&
    isWithin(person.createdAt, created) &&
    isWithin(person.updatedAt, updated)
  );
}

const isWithin = (time: number, { from, to }: Period = {}): boolean =>
  (from === undefined || time >= from) && (to === undefined || time < to);
