import type { QueryClient } from '@tanstack/react-query';
import { isObject, keysOf, membersOf } from '../../shared/json.ts';
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
import { shortened } from '../lib/visible-text.ts';
import { offerUndo, toast, UndoRefused } from '../ui/toasts.tsx';
import { type MemberChange, memberChanges, sameJson, touches, valueAt } from './member-changes.ts';
import type { EditableRecord } from './record-edit.tsx';

/** A write by this app, with the data to undo it. */
export interface SavedChange<R> extends EditableRecord<R> {
  saved: R;
  changes: readonly MemberChange[];
}

/**
 * A write that can be undone.
 * @param mine the written members: the service may have normalized or ignored a value
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
 * Confirms an edit in a toast, and offers undo.
 * @param note follows the text
 * @param wordOf the name of a changed member
 * @param exceptions a sentence about anything that undo cannot restore
 */
export function offerUndoOfEdit<R extends object>(
  text: string,
  note: string,
  change: SavedChange<R>,
  refresh: () => Promise<unknown>,
  wordOf: (path: string) => string,
  exceptions = '',
): void {
  const { changes } = change;
  if (changes.length === 0 || !changes.every(({ before }) => isExact(before))) toast(text + note);
  else {
    const undone = changes.map(({ path, before }) => `${wordOf(path)} ${inWords(before)}`);
    const more = undone.length > 3 ? ` and ${undone.length - 3} more` : '';
    const words = `Reverted: ${undone.slice(0, 3).join(', ')}${more}`;
    offerUndo(text, () => undoChange(change).finally(refresh), note + exceptions, words);
  }
}

const inWords = (value: unknown): string =>
  isObject(value) || Array.isArray(value) ? 'as before' : `is ${shortened(String(value ?? '')) || 'empty'} again`;

/** JavaScript numbers have about 16 digits. A longer number has lost digits here, so undo must not write it. */
export const isExact = (value: unknown): boolean => {
  if (typeof value === 'number') return Number.isInteger(value) ? Number.isSafeInteger(value) : digitsOf(value) < 16;
  return typeof value !== 'object' || value === null || Object.values(value).every(isExact);
};

const digitsOf = (value: number): number => String(value).replace(/e.*$/, '').replaceAll(/\D/g, '').length;

/**
 * Reads the record again and restores the members that this app changed. Writes nothing if somebody else has changed
 * any of them. Kratos and Hydra have no conditional writes, so a change between the read and the write goes unnoticed.
 * @returns a sentence about the result, or an empty string
 * @throws UndoRefused if there is a later change, or RequestError from the read or the write
 */
export async function undoChange<R extends object>(change: SavedChange<R>): Promise<string> {
  const { what, saved, changes, documentOf } = change;
  const now = await change.read().catch((error: unknown) => {
    if (error instanceof RequestError && error.status === 404)
      throw new UndoRefused(`The ${what} has since been deleted.`);
    throw error;
  });
  if (createdAt(now) !== createdAt(saved))
    throw new UndoRefused(`The ${what} has since been deleted, and another one has its ID.`);
  const stored = documentOf(now);
  const remaining = changes.filter(({ path, before }) => !sameJson(valueAt(stored, keysOf(path)), before));
  if (remaining.length === 0) return 'It already has its previous values.';

  // Not by `updated_at`: some databases store whole seconds, so two writes may have the same time.
  const theirs = memberChanges(documentOf(saved), stored);
  const conflicts = remaining.filter((own) => theirs.some((other) => touches(own, other)));
  if (conflicts.length > 0) {
    const names = conflicts.map(({ path }) => path.slice(1).replaceAll('/', '.')).join(', ');
    throw new UndoRefused(changedSince(names));
  }
  await change.write(
    now,
    remaining.map(({ path, before }) => ({ path, before: valueAt(stored, keysOf(path)), after: before })),
  );
  return theirs.length === 0 ? '' : 'Later changes by others were kept.';
}

const createdAt = (record: object): unknown => membersOf(record).created_at;

/** A write or deletion of a setting by this app, with the data to undo it. */
export interface SettingWrite {
  key: string;
  /** The previous setting; undefined for a new setting. */
  before: Setting | undefined;
  /** The previous version in the service's history. */
  undoVersion: number | undefined;
  /** The new setting; null after a deletion. */
  after: TaggedSetting | null;
}

export const settingWrite = (before: Setting | undefined, { undoVersion, ...after }: SettingChanged): SettingWrite => ({
  key: after.setting.key,
  before,
  undoVersion,
  after,
});

/** Encrypting a plaintext value cannot be undone: the service discards the plaintext. */
export const canBeUndone = ({ before, undoVersion }: SettingWrite): boolean =>
  before === undefined || undoVersion !== undefined;

/**
 * Undoes changes in reverse order from the service's version history, which also restores encrypted values that this
 * app never had. Never overwrites later changes. After a failure, a second call continues.
 * @returns a function that rejects with UndoRefused if there is a later change
 */
export function settingsUndo(changes: readonly SettingWrite[]): () => Promise<void> {
  const now = new Map(changes.map(({ key, after }) => [key, after]));
  const remaining = [...changes];
  return async () => {
    for (let change = remaining.at(-1); change !== undefined; change = remaining.at(-1)) {
      const { key } = change;
      try {
        now.set(key, await undoSetting(change, now.get(key) ?? null));
      } catch (error) {
        const done = changes.length - remaining.length;
        if (!(error instanceof UndoRefused) || done === 0) throw error;
        throw new UndoRefused(`${error.message} ${done} of ${changes.length} changes were undone before that.`);
      }
      remaining.pop();
    }
  };
}

/**
 * @param over the version that may be overwritten; null to create the setting only if it does not exist
 * @returns the setting after the undo
 */
async function undoSetting(
  { key, before, undoVersion }: SettingWrite,
  over: TaggedSetting | null,
): Promise<TaggedSetting | null> {
  try {
    if (undoVersion !== undefined) return await restoreVersion({ key, version: undoVersion }, over);
    await deleteSetting(key, over);
    return null;
  } catch (error) {
    if (!(error instanceof RequestError && (error.status === 412 || error.status === 404))) throw error;
    // An earlier attempt may have succeeded even though its response was lost.
    const now = await readTagged(key);
    if (isSame(now?.setting, before)) return now;
    throw new UndoRefused(error.status === 412 ? changedSince(key) : `${key} was not restored: ${error.message}`);
  }
}

const isSame = (a: Setting | undefined, b: Setting | undefined): boolean =>
  a?.value === b?.value && a?.encrypted === b?.encrypted && a?.category === b?.category;

const changedSince = (what: string): string => `Somebody has since changed ${what}. Nothing was overwritten.`;

/**
 * Confirms writes or deletions of settings in a toast, and offers undo.
 * @param changes in chronological order
 * @param check rejects if the previous values must not be restored
 */
export function offerSettingUndo(
  message: string,
  changes: readonly SettingWrite[],
  queryClient: QueryClient,
  check: () => Promise<void> = async () => {},
): void {
  const undoAll = settingsUndo(changes);
  const undo = async (): Promise<string> => {
    try {
      await check();
      await undoAll();
      return '';
    } finally {
      void queryClient.invalidateQueries({ queryKey: socialConnectionsQuery.queryKey });
      await queryClient.invalidateQueries({ queryKey: SETTINGS_KEY });
    }
  };
  if (changes.length > 0 && changes.every(canBeUndone)) offerUndo(message, undo);
  else toast(message);
}
