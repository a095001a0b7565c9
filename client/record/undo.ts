import type { QueryClient } from '@tanstack/react-query';
import { membersOf } from '../../shared/json.ts';
import type { Setting } from '../../shared/settings.ts';
import { RequestError } from '../api/request.ts';
import {
  deleteSetting,
  readTagged,
  restoreVersion,
  SETTINGS_KEY,
  type SettingChanged,
  socialConnectionsQuery,
  type TaggedSetting,
} from '../api/settings.ts';
import { keysOf } from '../lib/json.ts';
import { offerUndo, toast, UndoRefused } from '../ui/toasts.tsx';
import { type MemberChange, memberChanges, touches } from './edit-conflict.tsx';
import { sameJson, valueAt } from './json-editor.tsx';

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

/** A write or a deletion of a setting by this app, with what it takes to take it back. */
export interface SettingChange {
  key: string;
  /** What stood there; undefined if nothing did. */
  before: Setting | undefined;
  /** The version that the service kept of it. */
  kept: number | undefined;
  /** What stands there since; null after a deletion. */
  after: TaggedSetting | null;
}

export const writtenChange = (before: Setting | undefined, { kept, ...after }: SettingChanged): SettingChange => ({
  key: after.setting.key,
  before,
  kept,
  after,
});

/** A write that encrypts a plain value has no way back: the service forgets the plain one. */
export const hasWayBack = ({ before, kept }: SettingChange): boolean => before === undefined || kept !== undefined;

/**
 * What takes changes back, the last one first, by the versions that the service kept: that works for encrypted values
 * too, which this app never held. It never overwrites what somebody else has stored since. Called again after a failure,
 * it continues.
 * @returns resolves with what was done; rejects with UndoRefused where a later change stands in the way
 */
export function settingsUndo(changes: readonly SettingChange[]): () => Promise<string> {
  const now = new Map(changes.map(({ key, after }) => [key, after]));
  const left = [...changes];
  return async () => {
    for (let change = left.at(-1); change !== undefined; change = left.at(-1)) {
      const { key } = change;
      try {
        now.set(key, await takeOneBack(change, now.get(key) ?? null));
      } catch (error) {
        const done = changes.length - left.length;
        if (!(error instanceof UndoRefused) || done === 0) throw error;
        throw new UndoRefused(`${error.message} ${done} of ${changes.length} changes were taken back before.`);
      }
      left.pop();
    }
    return 'Undone';
  };
}

/**
 * @param over what may be replaced; null for nothing
 * @returns what stands there then
 */
async function takeOneBack(
  { key, before, kept }: SettingChange,
  over: TaggedSetting | null,
): Promise<TaggedSetting | null> {
  try {
    if (kept !== undefined) return await restoreVersion({ key, version: kept }, over);
    await deleteSetting(key, over);
    return null;
  } catch (error) {
    if (!(error instanceof RequestError && (error.status === 412 || error.status === 404))) throw error;
    // Perhaps it is done already, by an attempt whose answer was lost.
    const now = await readTagged(key);
    if (isSame(now?.setting, before)) return now;
    throw new UndoRefused(
      error.status === 412
        ? `Somebody has changed ${key} since. Their change stands, and nothing was overwritten.`
        : `${key} was not restored: ${error.message}`,
    );
  }
}

const isSame = (a: Setting | undefined, b: Setting | undefined): boolean =>
  a?.value === b?.value && a?.encrypted === b?.encrypted && a?.category === b?.category;

/**
 * Says that settings are written or deleted, and offers to undo it.
 * @param changes in the order in which they were made
 * @param check rejects if what stood before must not come back any more
 */
export function offerSettingUndo(
  said: string,
  changes: readonly SettingChange[],
  queryClient: QueryClient,
  check: () => Promise<void> = async () => {},
): void {
  const takeBack = settingsUndo(changes);
  const undo = async (): Promise<string> => {
    try {
      await check();
      return await takeBack();
    } finally {
      void queryClient.invalidateQueries({ queryKey: socialConnectionsQuery.queryKey });
      await queryClient.invalidateQueries({ queryKey: SETTINGS_KEY });
    }
  };
  if (changes.length > 0 && changes.every(hasWayBack)) offerUndo(said, undo);
  else toast(said);
}
