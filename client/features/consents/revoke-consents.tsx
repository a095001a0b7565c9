import { useQueryClient } from '@tanstack/react-query';
import { type ConsentsMeant, endLoginSessions, revokeConsents } from '../../api/consents.ts';
import { counted } from '../../lib/format-count.ts';
import { CONSENTS_STAY_REVOKED, ConfirmDialog, SESSIONS_STAY_ENDED } from '../../ui/confirm-dialog.tsx';
import { toast } from '../../ui/toasts.tsx';

/** The consents to revoke, and their name in a sentence: "the consent to Web shop". */
export interface Revocation {
  meant: ConsentsMeant;
  name: string;
}

export function RevokeConsents(props: { subject: string; revocation: Revocation; onClose: () => void }) {
  const { meant, name } = props.revocation;
  const queryClient = useQueryClient();
  return (
    <ConfirmDialog
      title={`Revoke ${name}?`}
      consequences={[
        meant !== 'all' && 'id' in meant
          ? 'The tokens issued under this consent end at once, refresh tokens included. Other consents and their tokens remain.'
          : 'All tokens issued under them end at once, refresh tokens included.',
        'Applications with sessions of their own are not notified: they may continue until they next use a token.',
        'Login sessions at the OAuth server remain, and applications can ask for consent again.',
        CONSENTS_STAY_REVOKED,
      ]}
      action="Revoke"
      onClose={props.onClose}
      act={async () => {
        toast(formatRevoked(await revokeConsents(queryClient, props.subject, meant)));
        props.onClose();
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

/** @param whose the subject's name */
export const EndLoginSessions = (props: { subject: string; whose: string; onClose: () => void }) => (
  <ConfirmDialog
    title={`End the login sessions of ${props.whose} at the OAuth server?`}
    consequences={[
      'The person is signed out at the OAuth server in every browser: the next application they sign in to asks again.',
      'Their session at the identity service continues: while it lasts, signing in again may not ask for a password.',
      'Consents and tokens remain: revoke the consents to end them.',
      'The OAuth server does not list login sessions, and gives the same response whether or not there were any.',
      SESSIONS_STAY_ENDED,
    ]}
    action="End login sessions"
    onClose={props.onClose}
    act={async () => {
      await endLoginSessions(props.subject);
      toast('Any login sessions at the OAuth server have ended');
      props.onClose();
    }}
  />
);
