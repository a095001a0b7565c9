import { Button, Group, Stack, Text } from '@mantine/core';
import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { revokeConsents } from '../../api/consents.ts';
import { oauthAdmin, oauthPublic, send } from '../../api/request.ts';
import { CANNOT_BE_UNDONE, CONSENTS_STAY_REVOKED, ConfirmDialog, type Consequences } from '../../ui/confirm-dialog.tsx';
import { Section } from '../../ui/layout.tsx';
import { toast } from '../../ui/toasts.tsx';
import { introspect, type TokenEnd } from './introspection.ts';

/** Offers to revoke a valid token. @param onEnded called once the token is no longer valid */
export function EndToken({ token, end, onEnded }: { token: string; end: TokenEnd; onEnded: () => Promise<void> }) {
  const [open, setOpen] = useState(false);
  const { why, button, title, action, done, ...consequences } = WORDS[end.way];
  const queryClient = useQueryClient();
  return (
    <Section title="Revoke this token">
      <Stack gap="sm">
        <Text size="sm">{why}</Text>
        <Group>
          <Button variant="default" onClick={() => setOpen(true)}>
            {button}
          </Button>
        </Group>
      </Stack>
      {open && (
        <ConfirmDialog
          title={title}
          {...consequences}
          action={action}
          // The trail records nothing of a client's own request.
          withoutReason={end.way === 'revoke'}
          onClose={() => setOpen(false)}
          act={async (reason) => {
            await endBy(end, token, queryClient, reason);
            // The OAuth server reports success even if it revoked nothing, so check the token again.
            if ((await introspect(token)).active)
              throw new Error('The OAuth server accepted the request, but the token is still valid.');
            toast(done);
            setOpen(false);
            await onEnded();
          }}
        />
      )}
    </Section>
  );
}

const WORDS: Record<
  TokenEnd['way'],
  Consequences & { why: string; button: string; title: string; action: string; done: string }
> = {
  revoke: {
    why: 'The client is public, so its ID is enough to revoke the token.',
    button: 'Revoke token…',
    title: 'Revoke this token?',
    action: 'Revoke token',
    done: 'Revoked the token',
    consequence: 'The token is revoked at once, along with the other tokens of the same sign-in.',
    details: [
      'The person stays signed in at the OAuth server: the application can request new tokens.',
      CANNOT_BE_UNDONE,
    ],
  },
  consent: {
    why: 'Only the application itself can revoke a single token, with its secret or key. Instead, you can revoke the person’s consents to this application, and with them all tokens issued under them.',
    button: 'Revoke consents…',
    title: 'Revoke this person’s consents to this client?',
    action: 'Revoke consents',
    done: 'Revoked the consents and the token',
    consequence: 'Everything that this person has allowed this application to do is revoked.',
    details: [
      'All tokens issued under these consents are revoked at once, including refresh tokens.',
      'The application can ask for consent again.',
      CONSENTS_STAY_REVOKED,
    ],
  },
  'client-tokens': {
    why: 'Only the application itself can revoke a single token, with its secret or key, and there are no consents to revoke. Instead, you can revoke all access tokens of the client.',
    button: 'Revoke all access tokens…',
    title: 'Revoke all access tokens of this client?',
    action: 'Revoke all access tokens',
    done: 'Revoked all access tokens of the client',
    consequence: 'Every access token of the client is revoked at once, not only this one.',
    details: ['Refresh tokens remain valid, and the application can request new tokens.', CANNOT_BE_UNDONE],
  },
};

async function endBy(end: TokenEnd, token: string, queryClient: QueryClient, reason: string): Promise<void> {
  const { clientId } = end;
  if (end.way === 'consent') await revokeConsents(queryClient, end.subject, { clientId }, reason);
  // Acts as the public client, which needs no secret (RFC 7009, 2.1).
  else if (end.way === 'revoke')
    await send(oauthPublic('/oauth2/revoke'), { method: 'POST', form: { token, client_id: clientId } });
  else
    await send(`${oauthAdmin('/oauth2/tokens')}?${new URLSearchParams({ client_id: clientId })}`, {
      method: 'DELETE',
      reason,
    });
}
