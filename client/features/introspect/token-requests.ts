import { isObject, type JsonObject } from '../../../shared/json.ts';
import { request, send } from '../../api/request.ts';
import { unreadableAnswer } from '../../api/request-error.ts';
import { oauthAdmin, oauthPublic } from '../../api/upstream-api.ts';

/** Introspection response (RFC 7662, 2.2); for an inactive token only `active`. */
export interface Introspection extends JsonObject {
  active: boolean;
}

/** The token is sent in one request body and is never cached. */
export async function introspect(token: string): Promise<Introspection> {
  const body = await request<unknown>(oauthAdmin('/oauth2/introspect'), { method: 'POST', form: { token } });
  if (isObject(body) && typeof body.active === 'boolean') return body as Introspection;
  throw unreadableAnswer('OAuth server', 'an introspection');
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
