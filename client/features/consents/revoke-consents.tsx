import { useQueryClient } from '@tanstack/react-query';
import { type ConsentsMeant, revokeConsents } from '../../api/consents-end.ts';
import { counted } from '../../format/counted.ts';
import { ConfirmDialog } from '../../ui/dialog/confirm-dialog.tsx';
import { toast } from '../../ui/feedback/toasts.tsx';

/** @param called "all consents to Web shop" */
export function RevokeConsents(props: { subject: string; meant: ConsentsMeant; called: string; onClose: () => void }) {
  const { subject, meant, onClose } = props;
  const queryClient = useQueryClient();
  return (
    <ConfirmDialog
      title={`Revoke ${props.called}?`}
      consequences={[
        meant !== 'all' && 'id' in meant
          ? 'The tokens issued under this consent end at once, refresh tokens included. Other consents and their tokens remain.'
          : 'All tokens issued under them end at once, refresh tokens included.',
        'Applications with sessions of their own are not notified: they may continue until they next use a token.',
        'Login sessions at the OAuth server remain, and applications can ask for consent again.',
      ]}
      action="Revoke"
      onClose={onClose}
      act={async () => {
        toast(formatRevoked(await revokeConsents(queryClient, subject, meant)));
        onClose();
      }}
    />
  );
}

function formatRevoked(count: number | undefined): string {
  if (count === 0) return 'There was nothing left to revoke';
  return count === undefined
    ? 'Revoked, and their tokens have ended'
    : `${counted(count, 'consent is', 'consents are')} revoked, and the tokens have ended`;
}
