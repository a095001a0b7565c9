import { endDashboardSessions } from '../../../api/security.ts';
import { useOperator } from '../../../api/session.ts';
import { ConfirmDialog } from '../../../ui/dialog/confirm-dialog.tsx';
import { SESSIONS_STAY_ENDED } from '../../../ui/dialog/way-back.ts';
import { toast } from '../../../ui/feedback/toasts.tsx';

/** @param props.called the operator's name in a sentence */
export function EndSessionsDialog(props: { id: string; called: string; onClose: () => void }) {
  const { id, called, onClose } = props;
  const isSelf = useOperator().identityId === id;
  return (
    <ConfirmDialog
      title={isSelf ? 'End your own dashboard sessions?' : 'End all dashboard sessions of this operator?'}
      consequences={[
        isSelf
          ? 'You are signed out of this dashboard in every browser, including this one.'
          : `${called} is signed out of this dashboard in every browser.`,
        'Anyone who still has the role can sign in again. To keep somebody out, change their identity.',
        'Sessions of the platform itself are not affected.',
        SESSIONS_STAY_ENDED,
      ]}
      action="End dashboard sessions"
      onClose={onClose}
      act={async () => {
        await endDashboardSessions(id);
        toast('Dashboard sessions ended');
        onClose();
      }}
    />
  );
}
