import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { isObject, type JsonObject } from '../../../shared/json.ts';
import { revokeConsents } from '../../api/consents.ts';
import type { OauthClient } from '../../api/oauth-clients.ts';
import { oauthAdmin, oauthPublic, request, send, unreadableResponse } from '../../api/request.ts';
import { CANNOT_BE_UNDONE, CONSENTS_STAY_REVOKED, ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { toast } from '../../ui/toasts.tsx';

const WORDS: Record<TokenEnd['way'], { title: string; action: string; consequences: readonly string[] }> = {
  revoke: {
    title: 'Revoke this token?',
    action: 'Revoke',
    consequences: [
      'The token ends at once, along with the other tokens of the same sign-in.',
      'The person stays signed in at the OAuth server: the application can request new tokens.',
      CANNOT_BE_UNDONE,
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
      CANNOT_BE_UNDONE,
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

/** How a token can be ended from here. */
export type TokenEnd =
  | { way: 'revoke'; clientId: string }
  | { way: 'consent'; clientId: string; subject: string }
  | { way: 'client-tokens'; clientId: string };

/**
 * Only a token's own client can revoke a single token, and has to authenticate for it (RFC 7009, 2.1); for a public
 * client, its id is enough. For other clients the consent can be revoked or, if nobody consented, all access tokens of
 * the client deleted.
 * @returns undefined when the response names no client
 */
export function endOf(answer: Introspection, client: OauthClient | undefined): TokenEnd | undefined {
  const { client_id: clientId, sub: subject } = answer;
  if (typeof clientId !== 'string' || clientId === '') return undefined;
  if (client?.token_endpoint_auth_method === 'none') return { way: 'revoke', clientId };
  if (typeof subject === 'string' && subject !== '' && subject !== clientId)
    return { way: 'consent', clientId, subject };
  return { way: 'client-tokens', clientId };
}

/** Introspection response (RFC 7662, 2.2); for an inactive token only `active`. */
export interface Introspection extends JsonObject {
  active: boolean;
}

/** The token is sent in one request body and is never cached. */
export async function introspect(token: string): Promise<Introspection> {
  const body = await request<unknown>(oauthAdmin('/oauth2/introspect'), { method: 'POST', form: { token } });
  if (isObject(body) && typeof body.active === 'boolean') return body as Introspection;
  throw unreadableResponse('OAuth server', 'an introspection');
}

/**
 * Revokes a token as its public client would (RFC 7009, 2.1). Success does not prove that it is revoked: introspect
 * again.
 */
export async function revokeToken(token: string, clientId: string): Promise<void> {
  await send(oauthPublic('/oauth2/revoke'), { method: 'POST', form: { token, client_id: clientId } });
}

/** Deletes a client's access tokens; refresh tokens remain valid. */
export async function endAccessTokens(clientId: string): Promise<void> {
  const query = new URLSearchParams({ client_id: clientId });
  await send(`${oauthAdmin('/oauth2/tokens')}?${query}`, { method: 'DELETE' });
}
