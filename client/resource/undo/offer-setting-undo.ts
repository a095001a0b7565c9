import type { QueryClient } from '@tanstack/react-query';
import { SETTINGS_KEY } from '../../api/settings.ts';
import { socialConnectionsQuery } from '../../api/social-connections.ts';
import { toast } from '../../ui/feedback/toasts.tsx';
import { offerUndo } from '../../ui/feedback/undo-offer.tsx';
import { hasWayBack, type SettingChange, settingsUndo } from './take-settings-back.ts';

/**
 * Says that settings are written or deleted, and offers to undo it.
 * @param changes in the order in which they were made
 * @param check rejects if what stood before must not come back any more
 */
export function offerSettingUndo(
  said: string,
  changes: readonly SettingChange[],
  queryClient: QueryClient,
  check: () => Promise<void> = async () => {},
): void {
  const takeBack = settingsUndo(changes);
  const undo = async (): Promise<string> => {
    try {
      await check();
      return await takeBack();
    } finally {
      void queryClient.invalidateQueries({ queryKey: socialConnectionsQuery.queryKey });
      await queryClient.invalidateQueries({ queryKey: SETTINGS_KEY });
    }
  };
  if (changes.length > 0 && changes.every(hasWayBack)) offerUndo(said, undo);
  else toast(said);
}
