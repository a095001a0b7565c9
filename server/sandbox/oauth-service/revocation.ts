import { type Route, route } from '../http/router.ts';
import { authenticatedClient } from './client-authentication.ts';
import type { ClientStore } from './client-store.ts';
import type { IssuedTokens } from './issued-tokens.ts';
import { CHECK_PARAMETERS, protocolRoute } from './oauth-errors.ts';
import { protocolForm } from './protocol-form.ts';

/**
 * `POST /oauth2/revoke` (RFC 7009): revokes a client's token and the others of the same sign-in; the consent remains.
 * Unknown tokens, and those of other clients, are 200, too.
 */
export const revocationRoute = (clients: ClientStore, issued: IssuedTokens): Route =>
  route(
    'POST',
    '/oauth2/revoke',
    protocolRoute(async (call) => {
      const form = protocolForm(call);
      const { client_id } = await authenticatedClient(call, form, clients, CHECK_PARAMETERS);
      const token = issued.find(form.get('token') ?? '');
      if (token?.clientId === client_id) {
        issued.remove(token.value);
        if (token.consentId !== undefined) issued.removeOfConsent(token.consentId);
      }
      return { status: 200, headers: { 'Cache-Control': 'no-store' } };
    }),
  );
