import type { OperatorSummary } from '../../../../shared/security.ts';
import { endDashboardSessions } from '../../../api/security.ts';
import { useOperator } from '../../../api/session.ts';
import { ConfirmDialog } from '../../../ui/confirm-dialog.tsx';
import { toast } from '../../../ui/toasts.tsx';

export function EndSessionsDialog({ operator, onClose }: { operator: OperatorSummary; onClose: () => void }) {
  const isSelf = useOperator().identityId === operator.identity_id;
  return (
    <ConfirmDialog
      title={isSelf ? 'End your own dashboard sessions?' : 'End all dashboard sessions of this operator?'}
      consequences={[
        isSelf
          ? 'You are signed out of this dashboard in every browser, in this one too.'
          : `${operator.identity_id} is signed out of this dashboard in every browser.`,
        'Who still has the role can sign in again: to keep somebody out, change their identity.',
        'Sessions of the platform itself are not affected.',
      ]}
      action="End dashboard sessions"
      onClose={onClose}
      act={async () => {
        await endDashboardSessions(operator.identity_id);
        toast('The dashboard sessions are ended');
        onClose();
      }}
    />
  );
}
