import { useQueryClient } from '@tanstack/react-query';
import type { LockedAccount, UnlockInput } from '../../shared/security.ts';
import { send, unlessGone } from '../api/request.ts';
import { LOCKED_ACCOUNTS_KEY } from '../api/security.ts';
import { shortened } from '../lib/visible-text.ts';
import { ConfirmDialog } from '../ui/confirm-dialog.tsx';
import { toast } from '../ui/toasts.tsx';

export function UnlockDialog({ account, onClose }: { account: LockedAccount; onClose: () => void }) {
  const queryClient = useQueryClient();
  const { identifier } = account;
  const name = shortened(identifier);
  return (
    <ConfirmDialog
      title={`Unlock ${name}?`}
      consequence="Anyone who knows the password can sign in again immediately."
      details={[
        'The number of failed attempts is reset to zero, which cannot be undone.',
        'Unlocking is recorded in the audit trail.',
      ]}
      action="Unlock account"
      danger={false}
      onClose={onClose}
      act={async (reason) => {
        const body = { identifier } satisfies UnlockInput;
        const unlocking = send('/api/security/locked-accounts/unlock', { method: 'POST', body, reason });
        // The lock has expired, or somebody else has removed it: either way, the account is unlocked.
        const wasUnlocked = await unlocking.then(
          () => false,
          (error) => unlessGone(error) ?? true,
        );
        toast(wasUnlocked ? `${name} was already unlocked` : `Unlocked ${name}`);
        onClose();
        await queryClient.invalidateQueries({ queryKey: LOCKED_ACCOUNTS_KEY });
      }}
    />
  );
}
