import { useQueryClient } from '@tanstack/react-query';
import { type ConsentSelection, endLoginSessions, revokeConsents } from '../../api/consents.ts';
import { shortened } from '../../lib/visible-text.ts';
import { CONSENTS_STAY_REVOKED, ConfirmDialog, SESSIONS_STAY_ENDED } from '../../ui/confirm-dialog.tsx';
import { toast } from '../../ui/toasts.tsx';

/** The consents to revoke, and their name in a sentence: "the consent to Web shop". */
export interface Revocation {
  meant: ConsentSelection;
  name: string;
}

export function RevokeConsents(props: { subject: string; revocation: Revocation; onClose: () => void }) {
  const { meant, name } = props.revocation;
  const queryClient = useQueryClient();
  const isOne = meant !== 'all' && 'id' in meant;
  return (
    <ConfirmDialog
      title={`Revoke ${name}?`}
      consequence={`All tokens issued under ${isOne ? 'this consent' : 'these consents'} are revoked at once, including refresh tokens.`}
      details={[
        ...(isOne ? ['Other consents and their tokens remain.'] : []),
        'Applications with sessions of their own are not notified: they may continue until they next use a token.',
        'Login sessions at the OAuth server remain, and applications can ask for consent again.',
        CONSENTS_STAY_REVOKED,
      ]}
      action={isOne ? 'Revoke consent' : 'Revoke consents'}
      onClose={props.onClose}
      act={async () => {
        const count = await revokeConsents(queryClient, props.subject, meant);
        toast(count === 0 ? 'There was nothing left to revoke' : `Revoked ${name}`);
        props.onClose();
      }}
    />
  );
}

/** @param whose the subject's name */
export const EndLoginSessions = (props: { subject: string; whose: string; onClose: () => void }) => (
  <ConfirmDialog
    title={`End the login sessions of ${shortened(props.whose)}?`}
    consequence="The person is signed out at the OAuth server in every browser: the next application asks them to sign in again."
    details={[
      'Their session at the identity service continues: while it lasts, signing in again may not require a password.',
      'Consents and tokens remain. To end the tokens, too, revoke the consents.',
      'The OAuth server does not list login sessions, or say whether there were any.',
      SESSIONS_STAY_ENDED,
    ]}
    action="End login sessions"
    onClose={props.onClose}
    act={async () => {
      await endLoginSessions(props.subject);
      toast(`Ended the login sessions of ${shortened(props.whose)}, if there were any`);
      props.onClose();
    }}
  />
);
