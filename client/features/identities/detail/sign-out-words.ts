import type { StepState } from './use-sign-out-run.ts';

/** How far it has come, and whether the person may be signed in somewhere still. */
export function formatSignOut(states: readonly StepState[]): string {
  const count = (status: StepState['status']): number => states.filter((state) => state.status === status).length;
  const failed = count('failed');
  if (count('waiting') === states.length) return '';
  if (count('running') + count('waiting') > 0)
    return `Signing out: ${count('done') + failed} of ${states.length} answered.`;
  if (failed === 0) return `All ${states.length} are done.`;
  return `${failed} of ${states.length} failed: the person may still be signed in there. The others are done.`;
}
