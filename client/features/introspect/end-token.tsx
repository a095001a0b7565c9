import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { revokeConsents } from '../../api/consents-end.ts';
import { ConfirmDialog } from '../../ui/dialog/confirm-dialog.tsx';
import { CONSENTS_STAY_REVOKED, NO_WAY_BACK } from '../../ui/dialog/way-back.ts';
import { toast } from '../../ui/feedback/toasts.tsx';
import type { TokenEnd } from './token-end.ts';
import { endAccessTokens, introspect, revokeToken } from './token-requests.ts';

const WORDS: Record<TokenEnd['way'], { title: string; action: string; consequences: readonly string[] }> = {
  revoke: {
    title: 'Revoke this token?',
    action: 'Revoke',
    consequences: [
      'The token ends at once, along with the other tokens of the same sign-in.',
      'The person stays signed in at the OAuth server: the application can request new tokens.',
      NO_WAY_BACK,
    ],
  },
  consent: {
    title: 'Revoke the consents of this person to this client?',
    action: 'Revoke',
    consequences: [
      'Everything that this person granted to this application is revoked.',
      'All tokens issued under it end at once, refresh tokens included.',
      'The application can ask for consent again.',
      CONSENTS_STAY_REVOKED,
    ],
  },
  'client-tokens': {
    title: 'End all access tokens of this client?',
    action: 'End access tokens',
    consequences: [
      'Every access token of the client ends at once, not only this one.',
      'Refresh tokens remain valid, and the application can request new tokens.',
      NO_WAY_BACK,
    ],
  },
};

/** The OAuth server reports success whatever happened, so the token is introspected again afterwards. */
export function EndToken(props: { token: string; end: TokenEnd; again: () => Promise<void>; onClose: () => void }) {
  const { token, end } = props;
  const { title, action, consequences } = WORDS[end.way];
  const queryClient = useQueryClient();
  return (
    <ConfirmDialog
      title={title}
      consequences={consequences}
      action={action}
      onClose={props.onClose}
      act={async () => {
        await endBy(end, token, queryClient);
        if ((await introspect(token)).active)
          throw new Error('The OAuth server accepted the request, but the token is still valid.');
        toast('The token is no longer valid');
        props.onClose();
        await props.again();
      }}
    />
  );
}

async function endBy(end: TokenEnd, token: string, queryClient: QueryClient): Promise<void> {
  switch (end.way) {
    case 'revoke':
      return revokeToken(token, end.clientId);
    case 'consent':
      await revokeConsents(queryClient, end.subject, { clientId: end.clientId });
      return;
    case 'client-tokens':
      return endAccessTokens(end.clientId);
  }
}
