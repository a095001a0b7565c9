import { useQueryClient } from '@tanstack/react-query';
import { settingsQuery } from '../../api/settings.ts';
import { socialConnectionsQuery } from '../../api/social-connections.ts';
import type { Step } from './provider-steps.ts';
import { runSteps } from './run-steps.ts';

/** Runs steps; whatever became of them, what is shown afterwards is what is stored. */
export function useSteps(): (steps: readonly Step[]) => Promise<void> {
  const queryClient = useQueryClient();
  return (steps) =>
    runSteps(steps).finally(() =>
      Promise.all([
        queryClient.invalidateQueries({ queryKey: settingsQuery.queryKey }),
        queryClient.invalidateQueries({ queryKey: socialConnectionsQuery.queryKey }),
      ]),
    );
}
