import { useQuery, useQueryClient } from '@tanstack/react-query';
import { socialSettingsQuery } from '../../api/settings.ts';
import { ConfirmDialog } from '../../ui/dialog/confirm-dialog.tsx';
import { providerTitle } from './known-providers.ts';
import { stepsToRemove } from './provider-steps.ts';
import { offerProviderUndo } from './provider-undo.ts';
import { type StoredProvider, storedOrder } from './stored-providers.ts';
import { useSteps } from './use-steps.ts';

export function RemoveProvider({ provider, onClose }: { provider: StoredProvider; onClose: () => void }) {
  const { data: settings = [] } = useQuery(socialSettingsQuery);
  const runSteps = useSteps();
  const queryClient = useQueryClient();
  const title = providerTitle(provider);
  return (
    <ConfirmDialog
      title={`Remove ${title}?`}
      consequences={[
        'Login pages stop offering it within a minute. Anyone without another way to sign in is locked out.',
        'Its settings are deleted, client id and secret included. “Undo” brings them back right afterwards, later each comes back from its own history. To pause it, disable it instead.',
        'It is disabled first: if a later step fails, it stays disabled and you can try again.',
      ]}
      typed={provider.name}
      action="Remove"
      onClose={onClose}
      act={async () => {
        const changes = await runSteps(stepsToRemove(provider, storedOrder(settings)));
        offerProviderUndo(`${title} is removed`, provider, changes, queryClient);
        document.querySelector<HTMLElement>('[data-page-heading]')?.focus();
      }}
    />
  );
}
