import { endLoginSessions } from '../../api/consents-end.ts';
import { ConfirmDialog } from '../../ui/dialog/confirm-dialog.tsx';
import { toast } from '../../ui/feedback/toasts.tsx';

/** @param whose what the subject is called */
export const EndLoginSessions = (props: { subject: string; whose: string; onClose: () => void }) => (
  <ConfirmDialog
    title={`End the login sessions of ${props.whose} at the OAuth server?`}
    consequences={[
      'The person is signed out at the OAuth server in every browser: the next application they sign in to asks again.',
      'Their session at the identity service continues: while it lasts, signing in again may not ask for a password.',
      'Consents and tokens remain: revoke the consents to end them.',
      'The OAuth server does not list login sessions, and answers the same whether there were any or not.',
    ]}
    action="End login sessions"
    onClose={props.onClose}
    act={async () => {
      await endLoginSessions(props.subject);
      toast('The login sessions at the OAuth server are ended, if there were any');
      props.onClose();
    }}
  />
);
