import { useQueryClient } from '@tanstack/react-query';
import type { LockedAccount } from '../../shared/security.ts';
import { RequestError } from '../api/request.ts';
import { LOCKED_ACCOUNTS_KEY, unlockAccount } from '../api/security.ts';
import { ConfirmDialog } from '../ui/confirm-dialog.tsx';
import { toast } from '../ui/toasts.tsx';

export function UnlockDialog(props: { account: LockedAccount; onUnlocked?: () => void; onClose: () => void }) {
  const { account, onUnlocked, onClose } = props;
  const queryClient = useQueryClient();
  const { identifier } = account;
  return (
    <ConfirmDialog
      title={`Unlock ${identifier}?`}
      consequences={[
        'Anyone who knows the password can sign in again immediately.',
        'The count of failed attempts is reset to zero, which cannot be undone.',
        'The unlock is recorded in the audit trail.',
      ]}
      action="Unlock"
      onClose={onClose}
      act={async () => {
        const gone = await unlockAccount(identifier).then(() => false, isGone);
        toast(gone ? `${identifier} was no longer locked` : `${identifier} is unlocked`);
        onUnlocked?.();
        onClose();
        await queryClient.invalidateQueries({ queryKey: LOCKED_ACCOUNTS_KEY });
      }}
    />
  );
}

/** The lock expired or somebody else removed it: either way, the account is unlocked. */
function isGone(error: unknown): true {
  if (error instanceof RequestError && error.status === 404) return true;
  throw error;
}
