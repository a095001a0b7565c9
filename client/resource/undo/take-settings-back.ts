import type { Setting } from '../../../shared/settings.ts';
import { RequestError } from '../../api/request-error.ts';
import { restoreVersion } from '../../api/setting-history.ts';
import { deleteSetting, readTagged, type SettingChanged, type TaggedSetting } from '../../api/settings-record.ts';
import { UndoRefused } from '../../ui/feedback/undo-refused.ts';

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
