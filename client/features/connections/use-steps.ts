import { useQueryClient } from '@tanstack/react-query';
import { SETTINGS_KEY } from '../../api/settings.ts';
import { socialConnectionsQuery } from '../../api/social-connections.ts';
import type { Step } from './provider-steps.ts';
import { runSteps } from './run-steps.ts';

/**
 * Runs steps and then refetches the settings, even after a failure. What login pages offer is refetched without
 * waiting for it.
 */
export function useSteps(): (steps: readonly Step[]) => Promise<void> {
  const queryClient = useQueryClient();
  return (steps) =>
    runSteps(steps).finally(() => {
      void queryClient.invalidateQueries({ queryKey: socialConnectionsQuery.queryKey });
      return queryClient.invalidateQueries({ queryKey: SETTINGS_KEY });
    });
}
