import { RequestError, reworded } from '../../api/request-error.ts';
import { deleteSetting, saveSetting } from '../../api/settings-record.ts';
import type { Step } from './provider-steps.ts';

/**
 * Runs steps in sequence and stops at the first failure.
 * @throws the failure, with the name of the step in its message
 */
export async function runSteps(steps: readonly Step[]): Promise<void> {
  for (const [index, { words, change }] of steps.entries()) {
    try {
      if ('save' in change) await saveSetting(change.save);
      else await deleteSetting(change.remove).catch(goneIsFine);
    } catch (error) {
      const failed = error as Error;
      throw reworded(failed, `Step ${index + 1} of ${steps.length} (${words}) failed: ${failed.message}`);
    }
  }
}

function goneIsFine(error: unknown): void {
  if (!(error instanceof RequestError && error.status === 404)) throw error;
}
