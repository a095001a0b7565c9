import { endLoginSessions } from '../../api/consents.ts';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { toast } from '../../ui/toasts.tsx';

/** @param whose what the subject is called */
export const EndLoginSessions = (props: { subject: string; whose: string; onClose: () => void }) => (
  <ConfirmDialog
    title={`End the login sessions of ${props.whose} at the OAuth server?`}
    consequences={[
      'Applications that send the person to sign in no longer find them signed in at the OAuth server, in any browser.',
      'Their session at the identity service goes on: while it does, signing in again may ask for nothing.',
      'Consents and tokens stay: revoke the consents to end them.',
      'The OAuth server lists no login sessions. It answers in the same way whether there were any or not.',
    ]}
    action="End login sessions"
    onClose={props.onClose}
    act={async () => {
      await endLoginSessions(props.subject);
      toast('The OAuth server has ended whatever login sessions there were');
      props.onClose();
    }}
  />
);
