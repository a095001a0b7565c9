import type { QueryClient } from '@tanstack/react-query';
import { socialSetting } from '../../../shared/settings.ts';
import { socialSettingsQuery } from '../../api/settings.ts';
import { offerSettingUndo } from '../../resource/undo/offer-setting-undo.ts';
import type { SettingChange } from '../../resource/undo/take-settings-back.ts';
import { UndoRefused } from '../../ui/feedback/undo-refused.ts';
import { missing, type StoredProvider, storedProviders } from './stored-providers.ts';

/**
 * Says what was done to a provider, and offers to undo it.
 * @param before the provider as it was; undefined for a new one
 */
export function offerProviderUndo(
  said: string,
  before: StoredProvider | undefined,
  changes: readonly SettingChange[],
  queryClient: QueryClient,
): void {
  offerSettingUndo(said, changes, queryClient, async () => {
    if (!before?.enabled) return;
    // Somebody may have taken its credentials away since: login pages must not send people to it without them.
    const now = storedProviders(await queryClient.fetchQuery({ ...socialSettingsQuery, staleTime: 0 }));
    const stored = new Set(now.find(({ name }) => name === before.name)?.stored);
    for (const field of before.stored)
      if (changes.some(({ key }) => key === socialSetting(before.name, field))) stored.add(field);
    const lacks = missing({ ...before, stored });
    if (lacks !== undefined) throw new UndoRefused(`It would be enabled again, but cannot work. ${lacks}`);
  });
}
