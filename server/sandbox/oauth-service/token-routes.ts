import { empty, json } from '../http/answer.ts';
import { type Route, route } from '../http/router.ts';
import type { ConsentStore } from './consent-store.ts';
import type { IssuedToken, IssuedTokens } from './issued-tokens.ts';
import { EMPTY_BODY, invalidRequest, protocolJson, protocolRoute } from './oauth-errors.ts';
import { protocolForm } from './protocol-form.ts';

export interface TokenRoutesOptions {
  issued: IssuedTokens;
  consents: ConsentStore;
  /** The OAuth server's base URL, without trailing slash. */
  publicUrl: string;
}

/** Tokens on the admin port: introspection (RFC 7662), and deletion of a client's access tokens. */
export function tokenRoutes({ issued, consents, publicUrl }: TokenRoutesOptions): Route[] {
  const introspection = (token: IssuedToken) => ({
    active: true,
    scope: token.scope,
    client_id: token.clientId,
    sub: token.consentId === undefined ? token.clientId : consents.find(token.consentId)?.subject,
    exp: token.expiresAt,
    iat: token.issuedAt,
    nbf: token.issuedAt,
    aud: [],
    iss: publicUrl,
    token_type: 'Bearer',
    token_use: token.use,
  });
  return [
    route(
      'POST',
      '/admin/oauth2/introspect',
      protocolRoute((call) => {
        const form = protocolForm(call);
        if (form.size === 0) throw invalidRequest(EMPTY_BODY);
        const token = issued.find(form.get('token') ?? '');
        const granted = token?.scope.split(' ') ?? [];
        const asked = (form.get('scope') ?? '').split(' ').filter(Boolean);
        if (token === undefined || token.spent || asked.some((scope) => !granted.includes(scope)))
          return protocolJson(200, { active: false });
        return json(200, introspection(token), { 'Content-Type': 'application/json;charset=UTF-8' });
      }),
    ),
    // Refresh tokens remain valid.
    route('DELETE', '/admin/oauth2/tokens', ({ query }) => {
      const clientId = query.get('client_id');
      if (!clientId) throw invalidRequest("Query parameter 'client_id' is not defined but it should have been.");
      issued.removeAccessTokensOf(clientId);
      return empty(204);
    }),
  ];
}
