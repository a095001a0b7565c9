import { useQueryClient } from '@tanstack/react-query';
import { settingsQuery } from '../../api/settings.ts';
import { socialConnectionsQuery } from '../../api/social-connections.ts';
import type { Step } from './provider-steps.ts';
import { runSteps } from './run-steps.ts';

/**
 * Runs steps; whatever became of them, the settings shown afterwards are what is stored. What a login page offers follows
 * in its own time: nobody waits for it to go on.
 */
export function useSteps(): (steps: readonly Step[]) => Promise<void> {
  const queryClient = useQueryClient();
  return (steps) =>
    runSteps(steps).finally(() => {
      void queryClient.invalidateQueries({ queryKey: socialConnectionsQuery.queryKey });
      return queryClient.invalidateQueries({ queryKey: settingsQuery.queryKey });
    });
}
