import type { StepState } from './use-sign-out-run.ts';

/** Progress, then whether the person may still be signed in somewhere. */
export function formatSignOut(states: readonly StepState[]): string {
  const count = (status: StepState['status']): number => states.filter((state) => state.status === status).length;
  const failed = count('failed');
  if (count('waiting') === states.length) return '';
  if (count('running') + count('waiting') > 0)
    return `Signing out: ${count('done') + failed} of ${states.length} steps complete.`;
  if (failed === 0) return `All ${states.length} steps are done.`;
  return `${failed} of ${states.length} steps failed: the person may still be signed in there. The others are done.`;
}
