import type { Setting } from '../../../shared/settings.ts';
import { RequestError, reworded } from '../../api/request-error.ts';
import { deleteSetting, saveSetting } from '../../api/settings-record.ts';
import { type SettingChange, writtenChange } from '../../resource/undo/take-settings-back.ts';
import type { Step } from './provider-steps.ts';

/**
 * Runs steps in sequence and stops at the first failure.
 * @param settings those of social sign-ins before the first step
 * @returns what was changed
 * @throws the failure, with the name of the step in its message
 */
export async function runSteps(steps: readonly Step[], settings: readonly Setting[]): Promise<SettingChange[]> {
  const stored = new Map(settings.map((setting) => [setting.key, setting]));
  const changes: SettingChange[] = [];
  for (const [index, { words, change }] of steps.entries()) {
    try {
      const key = 'save' in change ? change.save.key : change.remove;
      const before = stored.get(key);
      if ('save' in change) {
        const changed = await saveSetting(change.save);
        stored.set(key, changed.setting);
        changes.push(writtenChange(before, changed));
      } else {
        const kept = await deleteSetting(key).catch(goneIsFine);
        if (kept !== undefined) changes.push({ key, before, kept, after: null });
      }
    } catch (error) {
      const failed = error as Error;
      throw reworded(failed, `Step ${index + 1} of ${steps.length} (${words}) failed: ${failed.message}`);
    }
  }
  return changes;
}

function goneIsFine(error: unknown): undefined {
  if (!(error instanceof RequestError && error.status === 404)) throw error;
}
