import { useQuery, useQueryClient } from '@tanstack/react-query';
import { SETTINGS_KEY, socialSettingsQuery } from '../../api/settings.ts';
import { socialConnectionsQuery } from '../../api/social-connections.ts';
import type { SettingChange } from '../../resource/undo/take-settings-back.ts';
import type { Step } from './provider-steps.ts';
import { runSteps } from './run-steps.ts';

/**
 * Runs steps and then refetches the settings, even after a failure. What login pages offer is refetched without
 * waiting for it.
 * @returns resolves with what was changed
 */
export function useSteps(): (steps: readonly Step[]) => Promise<SettingChange[]> {
  const queryClient = useQueryClient();
  const { data: settings = [] } = useQuery(socialSettingsQuery);
  return (steps) =>
    runSteps(steps, settings).finally(() => {
      void queryClient.invalidateQueries({ queryKey: socialConnectionsQuery.queryKey });
      return queryClient.invalidateQueries({ queryKey: SETTINGS_KEY });
    });
}
