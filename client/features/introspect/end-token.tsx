import { Button, Group, Stack, Text } from '@mantine/core';
import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { revokeConsents } from '../../api/consents.ts';
import { oauthAdmin, oauthPublic, send } from '../../api/request.ts';
import { CANNOT_BE_UNDONE, CONSENTS_STAY_REVOKED, ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { Section } from '../../ui/layout.tsx';
import { toast } from '../../ui/toasts.tsx';
import { introspect, type TokenEnd } from './introspection.ts';

/** Offers to end a valid token. @param onEnded called once the token is no longer valid */
export function EndToken({ token, end, onEnded }: { token: string; end: TokenEnd; onEnded: () => Promise<void> }) {
  const [open, setOpen] = useState(false);
  const { why, button, title, action, consequences } = WORDS[end.way];
  const queryClient = useQueryClient();
  return (
    <Section title="End this token">
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
          consequences={consequences}
          action={action}
          onClose={() => setOpen(false)}
          act={async () => {
            await endBy(end, token, queryClient);
            // The OAuth server reports success even if it revoked nothing, so check the token again.
            if ((await introspect(token)).active)
              throw new Error('The OAuth server accepted the request, but the token is still valid.');
            toast('The token is no longer valid');
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
  { why: string; button: string; title: string; action: string; consequences: readonly string[] }
> = {
  revoke: {
    why: 'Its client is public, so its id is enough to revoke the token.',
    button: 'Revoke this token…',
    title: 'Revoke this token?',
    action: 'Revoke',
    consequences: [
      'The token ends at once, along with the other tokens of the same sign-in.',
      'The person stays signed in at the OAuth server: the application can request new tokens.',
      CANNOT_BE_UNDONE,
    ],
  },
  consent: {
    why: 'Only the application itself can revoke a single token, with its secret or key. You can revoke the person’s consents to this application instead, which ends all tokens issued under them.',
    button: 'Revoke the consents…',
    title: 'Revoke the consents of this person to this client?',
    action: 'Revoke',
    consequences: [
      'Everything that this person has allowed this application to do is revoked.',
      'All tokens issued under these consents end at once, refresh tokens included.',
      'The application can ask for consent again.',
      CONSENTS_STAY_REVOKED,
    ],
  },
  'client-tokens': {
    why: 'Only the application itself can revoke a single token, with its secret or key, and there are no consents to revoke. You can end all access tokens of the client instead.',
    button: 'End all access tokens of this client…',
    title: 'End all access tokens of this client?',
    action: 'End access tokens',
    consequences: [
      'Every access token of the client ends at once, not only this one.',
      'Refresh tokens remain valid, and the application can request new tokens.',
      CANNOT_BE_UNDONE,
    ],
  },
};

async function endBy(end: TokenEnd, token: string, queryClient: QueryClient): Promise<void> {
  const { clientId } = end;
  if (end.way === 'consent') await revokeConsents(queryClient, end.subject, { clientId });
  // Acts as the public client, which needs no secret (RFC 7009, 2.1).
  else if (end.way === 'revoke')
    await send(oauthPublic('/oauth2/revoke'), { method: 'POST', form: { token, client_id: clientId } });
  else
    await send(`${oauthAdmin('/oauth2/tokens')}?${new URLSearchParams({ client_id: clientId })}`, { method: 'DELETE' });
}
