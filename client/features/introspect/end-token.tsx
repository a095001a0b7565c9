import { Button, Group, Stack, Text } from '@mantine/core';
import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { isObject, type JsonObject } from '../../../shared/json.ts';
import { revokeConsents } from '../../api/consents.ts';
import type { OauthClient } from '../../api/oauth-clients.ts';
import { oauthAdmin, oauthPublic, request, send, unreadableAnswer } from '../../api/request.ts';
import { CANNOT_BE_UNDONE, CONSENTS_STAY_REVOKED, ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { Section } from '../../ui/layout.tsx';
import { toast } from '../../ui/toasts.tsx';

/** Offers to end a valid token. @param onEnded once it is no longer valid */
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
            // The OAuth server reports success whatever happened.
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

/** How a token can be ended from here. */
type TokenEnd =
  | { way: 'revoke'; clientId: string }
  | { way: 'consent'; clientId: string; subject: string }
  | { way: 'client-tokens'; clientId: string };

/**
 * Only a token's own client can revoke a single token, and has to authenticate for it (RFC 7009, 2.1); for a public
 * client, its id is enough. For other clients the consent can be revoked or, if nobody consented, all access tokens of
 * the client deleted.
 * @returns undefined when the response names no client
 */
export function endOf(response: Introspection, client: OauthClient | undefined): TokenEnd | undefined {
  const { client_id: clientId, sub: subject } = response;
  if (typeof clientId !== 'string' || clientId === '') return undefined;
  if (client?.token_endpoint_auth_method === 'none') return { way: 'revoke', clientId };
  if (typeof subject === 'string' && subject !== '' && subject !== clientId)
    return { way: 'consent', clientId, subject };
  return { way: 'client-tokens', clientId };
}

async function endBy(end: TokenEnd, token: string, queryClient: QueryClient): Promise<void> {
  const { clientId } = end;
  if (end.way === 'consent') await revokeConsents(queryClient, end.subject, { clientId });
  // As the public client would (RFC 7009, 2.1).
  else if (end.way === 'revoke')
    await send(oauthPublic('/oauth2/revoke'), { method: 'POST', form: { token, client_id: clientId } });
  else
    await send(`${oauthAdmin('/oauth2/tokens')}?${new URLSearchParams({ client_id: clientId })}`, { method: 'DELETE' });
}

/** Introspection response (RFC 7662, 2.2); for an inactive token only `active`. */
export interface Introspection extends JsonObject {
  active: boolean;
}

/** The token is sent in the request's body, and the response is never cached. */
export async function introspect(token: string): Promise<Introspection> {
  const body = await request<unknown>(oauthAdmin('/oauth2/introspect'), { method: 'POST', form: { token } });
  if (isObject(body) && typeof body.active === 'boolean') return body as Introspection;
  throw unreadableAnswer('OAuth server', 'an introspection');
}
