import { membersOf } from '../../../shared/json.ts';
import { RequestError } from '../../api/request-error.ts';
import { keysOf } from '../../lib/json-pointer.ts';
import { UndoRefused } from '../../ui/feedback/undo-refused.ts';
import { sameJson, valueAt } from '../form/json-value.ts';
import { type MemberChange, memberChanges, touches } from '../form/member-changes.ts';

/** A write of a record that this app made, with all that is needed to take it back. */
export interface WrittenChange<R> {
  /** Noun in a sentence: "identity". */
  what: string;
  /** The record as the service answered the write. */
  saved: R;
  /** The members that the write changed, as they were and as they are stored since. */
  changes: readonly MemberChange[];
  /** The members of a record that are compared. */
  documentOf: (record: R) => unknown;
  read: () => Promise<R>;
  /** @param changes to write over the version that was just read */
  write: (now: R, changes: readonly MemberChange[]) => Promise<unknown>;
}

/** The changes as the service stored them: it may have written a value in another way, or not taken it. */
export const changesAsStored = (mine: readonly MemberChange[], stored: unknown): MemberChange[] =>
  mine
    .map((change) => ({ ...change, after: valueAt(stored, keysOf(change.path)) }))
    .filter(({ before, after }) => !sameJson(before, after));

/**
 * JavaScript keeps about 16 digits of a number. Where a former value has more, this app does not hold it any more and
 * must not offer to write it.
 */
export const isHeldExactly = (value: unknown): boolean => {
  if (typeof value === 'number') return Number.isInteger(value) ? Number.isSafeInteger(value) : digitsOf(value) < 16;
  return typeof value !== 'object' || value === null || Object.values(value).every(isHeldExactly);
};

const digitsOf = (value: number): number => String(value).replace(/e.*$/, '').replaceAll(/\D/g, '').length;

/**
 * Takes a write back: the record is read again, and only what this app changed gets its former value. If somebody has
 * changed one of these members since, nothing is written. Neither service has conditional writes, so a change in the
 * instant between reading and writing goes unnoticed.
 * @returns what was done, as a sentence
 * @throws UndoRefused where a later change stands in the way, or RequestError from the read or the write
 */
export async function takeBack<R extends object>(written: WrittenChange<R>): Promise<string> {
  const { what, saved, changes, documentOf } = written;
  const now = await written.read().catch((error: unknown) => {
    if (error instanceof RequestError && error.status === 404)
      throw new UndoRefused(`The ${what} has been deleted since.`);
    throw error;
  });
  if (createdAt(now) !== createdAt(saved))
    throw new UndoRefused(`The ${what} has been deleted since, and another one was created with its id.`);
  const stored = documentOf(now);
  const left = changes.filter(({ path, before }) => !sameJson(valueAt(stored, keysOf(path)), before));
  if (left.length === 0) return 'It is as it was before.';

  // Not by `updated_at`: some databases store it in seconds, in which two writes have the same.
  const theirs = memberChanges(documentOf(saved), stored);
  const disputed = left.filter((own) => theirs.some((other) => touches(own, other)));
  if (disputed.length > 0) {
    const names = disputed.map(({ path }) => path.slice(1).replaceAll('/', '.')).join(', ');
    throw new UndoRefused(`Somebody has changed ${names} since. Their change stands, and nothing was overwritten.`);
  }
  await written.write(
    now,
    left.map(({ path, before }) => ({ path, before: valueAt(stored, keysOf(path)), after: before })),
  );
  return theirs.length === 0 ? 'Undone' : 'Undone. Changes that others made since then stay.';
}

const createdAt = (record: object): unknown => membersOf(record).created_at;
