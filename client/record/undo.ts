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
import { type MemberChange, memberChanges, sameJson, touches, valueAt } from './member-changes.ts';
import type { EditableRecord } from './record-edit.tsx';

/** A write of a record that this app made, with all that is needed to undo it. */
export interface SavedChange<R> extends EditableRecord<R> {
  /** The record as the service returned it after the write. */
  saved: R;
  /** The members that the write changed: as they were, and as they are stored since. */
  changes: readonly MemberChange[];
}

/**
 * A write, as it can be undone.
 * @param mine the members that were written: the service may have stored a value in another way, or not taken it
 */
export function savedChange<R, D>(
  record: EditableRecord<R, D>,
  saved: R,
  mine: readonly MemberChange[],
): SavedChange<R> {
  const stored = record.documentOf(saved);
  const changes = mine
    .map((change) => ({ ...change, after: valueAt(stored, keysOf(change.path)) }))
    .filter(({ before, after }) => !sameJson(before, after));
  return { ...record, saved, changes };
}

/**
 * Says that an edit is saved, and offers to undo it.
 * @param not what an undo cannot bring back, as a sentence
 */
export function offerUndoOfEdit<R extends object>(
  message: string,
  change: SavedChange<R>,
  refresh: () => Promise<unknown>,
  not?: string,
): void {
  const { changes } = change;
  if (changes.length === 0 || !changes.every(({ before }) => isExact(before))) toast(message);
  else offerUndo(not === undefined ? message : `${message}. ${not}`, () => undoChange(change).finally(refresh));
}

/** JavaScript has about 16 digits of a number. A former value with more is lost to this app, which must not write it. */
export const isExact = (value: unknown): boolean => {
  if (typeof value === 'number') return Number.isInteger(value) ? Number.isSafeInteger(value) : digitsOf(value) < 16;
  return typeof value !== 'object' || value === null || Object.values(value).every(isExact);
};

const digitsOf = (value: number): number => String(value).replace(/e.*$/, '').replaceAll(/\D/g, '').length;

/**
 * Reads the record again and gives what this app changed its former value. If somebody has changed one of these members
 * since, nothing is written. Neither service has conditional writes, so a change in the instant between reading and
 * writing goes unnoticed.
 * @returns what was done, as a sentence
 * @throws UndoRefused because of a later change, or RequestError from the read or the write
 */
export async function undoChange<R extends object>(change: SavedChange<R>): Promise<string> {
  const { what, saved, changes, documentOf } = change;
  const now = await change.read().catch((error: unknown) => {
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
    throw new UndoRefused(changedSince(names));
  }
  await change.write(
    now,
    left.map(({ path, before }) => ({ path, before: valueAt(stored, keysOf(path)), after: before })),
  );
  return theirs.length === 0 ? 'Undone' : 'Undone. Changes that others made since then stay.';
}

const createdAt = (record: object): unknown => membersOf(record).created_at;

/** A write or a deletion of a setting by this app, with all that is needed to undo it. */
export interface SettingChange {
  key: string;
  /** The setting before; undefined if there was none. */
  before: Setting | undefined;
  /** The version that the service kept of it. */
  undoVersion: number | undefined;
  /** The setting after; null if it was deleted. */
  after: TaggedSetting | null;
}

export const settingChange = (
  before: Setting | undefined,
  { undoVersion, ...after }: SettingChanged,
): SettingChange => ({
  key: after.setting.key,
  before,
  undoVersion,
  after,
});

/** A write that encrypts a plain value cannot be undone: the service forgets the plain one. */
export const canBeUndone = ({ before, undoVersion }: SettingChange): boolean =>
  before === undefined || undoVersion !== undefined;

/**
 * Makes a function that undoes changes, the last one first, with the versions that the service kept: that works for
 * encrypted values too, which this app never had. It overwrites nothing that somebody else has stored since. Called
 * again after a failure, it continues.
 * @returns resolves with what was done; rejects with UndoRefused because of a later change
 */
export function settingsUndo(changes: readonly SettingChange[]): () => Promise<string> {
  const now = new Map(changes.map(({ key, after }) => [key, after]));
  const left = [...changes];
  return async () => {
    for (let change = left.at(-1); change !== undefined; change = left.at(-1)) {
      const { key } = change;
      try {
        now.set(key, await undoSetting(change, now.get(key) ?? null));
      } catch (error) {
        const done = changes.length - left.length;
        if (!(error instanceof UndoRefused) || done === 0) throw error;
        throw new UndoRefused(`${error.message} ${done} of ${changes.length} changes were undone before that.`);
      }
      left.pop();
    }
    return 'Undone';
  };
}

/**
 * @param over what may be replaced; null for nothing
 * @returns what is stored then
 */
async function undoSetting(
  { key, before, undoVersion }: SettingChange,
  over: TaggedSetting | null,
): Promise<TaggedSetting | null> {
  try {
    if (undoVersion !== undefined) return await restoreVersion({ key, version: undoVersion }, over);
    await deleteSetting(key, over);
    return null;
  } catch (error) {
    if (!(error instanceof RequestError && (error.status === 412 || error.status === 404))) throw error;
    // Perhaps an earlier attempt has done it, and its response was lost.
    const now = await readTagged(key);
    if (isSame(now?.setting, before)) return now;
    throw new UndoRefused(error.status === 412 ? changedSince(key) : `${key} was not restored: ${error.message}`);
  }
}

const isSame = (a: Setting | undefined, b: Setting | undefined): boolean =>
  a?.value === b?.value && a?.encrypted === b?.encrypted && a?.category === b?.category;

const changedSince = (what: string): string =>
  `Somebody has changed ${what} since. Their change stays, and nothing was overwritten.`;

/**
 * Says that settings are written or deleted, and offers to undo it.
 * @param changes in the order in which they were made
 * @param check rejects if the former values must not come back any more
 */
export function offerSettingUndo(
  message: string,
  changes: readonly SettingChange[],
  queryClient: QueryClient,
  check: () => Promise<void> = async () => {},
): void {
  const undoAll = settingsUndo(changes);
  const undo = async (): Promise<string> => {
    try {
      await check();
      return await undoAll();
    } finally {
      void queryClient.invalidateQueries({ queryKey: socialConnectionsQuery.queryKey });
      await queryClient.invalidateQueries({ queryKey: SETTINGS_KEY });
    }
  };
  if (changes.length > 0 && changes.every(canBeUndone)) offerUndo(message, undo);
  else toast(message);
}
