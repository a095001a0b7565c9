import { useQuery } from '@tanstack/react-query';
import { socialSettingsQuery } from '../../api/settings.ts';
import { ConfirmDialog } from '../../ui/dialog/confirm-dialog.tsx';
import { toast } from '../../ui/feedback/toasts.tsx';
import { providerTitle } from './known-providers.ts';
import { stepsToRemove } from './provider-steps.ts';
import { type StoredProvider, storedOrder } from './stored-providers.ts';
import { useSteps } from './use-steps.ts';

export function RemoveProvider({ provider, onClose }: { provider: StoredProvider; onClose: () => void }) {
  const { data: settings = [] } = useQuery(socialSettingsQuery);
  const runSteps = useSteps();
  const title = providerTitle(provider);
  return (
    <ConfirmDialog
      title={`Remove ${title}?`}
      consequences={[
        'Login pages stop offering it within a minute. Anyone without another way to sign in is locked out.',
        'Its client id and secret are permanently deleted. To pause it, disable it instead.',
        'It is disabled first: if a later step fails, it stays disabled and you can try again.',
      ]}
      typed={provider.name}
      action="Remove"
      onClose={onClose}
      act={async () => {
        await runSteps(stepsToRemove(provider, storedOrder(settings)));
        toast(`${title} is removed`);
        document.querySelector<HTMLElement>('[data-page-heading]')?.focus();
      }}
    />
  );
}
