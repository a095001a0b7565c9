import { isObject, type JsonObject } from '../../shared/json.ts';
import { oauthAdmin, oauthPublic } from './oauth-prefix.ts';
import { request, send } from './request.ts';
import { unreadableAnswer } from './request-error.ts';

/** What the OAuth server says of a token (RFC 7662, 2.2); of one that is not active nothing else. */
export interface Introspection extends JsonObject {
  active: boolean;
}

/** The token goes into the body of one request, and into no cache. */
export async function introspect(token: string): Promise<Introspection> {
  const body = await request<unknown>(oauthAdmin('/oauth2/introspect'), { method: 'POST', form: { token } });
  if (isObject(body) && typeof body.active === 'boolean') return body as Introspection;
  throw unreadableAnswer('OAuth server', 'an introspection');
}

/** As the public client itself would (RFC 7009, 2.1). It is a success as well for a token that lives on: look again. */
export async function revokeToken(token: string, clientId: string): Promise<void> {
  await send(oauthPublic('/oauth2/revoke'), { method: 'POST', form: { token, client_id: clientId } });
}

/** Ends the access tokens of a client; refresh tokens live on. */
export async function endAccessTokens(clientId: string): Promise<void> {
  const query = new URLSearchParams({ client_id: clientId });
  await send(`${oauthAdmin('/oauth2/tokens')}?${query}`, { method: 'DELETE' });
}
