import { type Answer, json } from '../http/answer.ts';
import type { Call } from '../http/call.ts';
import { type Handler, type Route, route } from '../http/router.ts';
import type { IdentityStore } from '../identity-service/identities/identity-store.ts';
import type { ConsentStore } from './consent-store.ts';
import { consentTimes } from './id-token.ts';
import type { IssuedTokens } from './issued-tokens.ts';
import { errorBody, unrecognizable } from './oauth-errors.ts';
import { protocolForm } from './protocol-form.ts';

export interface UserinfoOptions {
  /** The OAuth server's base URL, without trailing slash. */
  issuer: string;
  issued: IssuedTokens;
  consents: ConsentStore;
  identities: IdentityStore;
}

/**
 * `/userinfo`, and `/oauth2/userinfo`, where deployments often expose it: the claims of the sign-in, whatever the
 * scopes; for a token without a user, the client. Stricter than Hydra, it refuses tokens of identities that are
 * deactivated or deleted.
 */
export function userinfoRoutes({ issuer, issued, consents, identities }: UserinfoOptions): Route[] {
  const answer: Handler = (call) => {
    const token = issued.find(bearerOf(call));
    if (token === undefined) return unauthorized();
    if (token.use === 'refresh_token')
      return refusal(
        'invalid_token',
        'Only access tokens are allowed in the authorization header.',
        errorBody(unrecognizable()),
      );
    const about = { aud: [token.clientId], iat: token.issuedAt, iss: issuer };
    if (token.consentId === undefined) return json(200, about);
    const consent = consents.find(token.consentId);
    if (consent === undefined || identities.find(consent.subject)?.state !== 'active') return unauthorized();
    const { claims, acr, amr, subject } = consent;
    return json(200, { ...claims, acr, amr, ...about, ...consentTimes(consent), sub: subject });
  };
  return ['/userinfo', '/oauth2/userinfo'].flatMap((path) => [route('GET', path, answer), route('POST', path, answer)]);
}

/** From the header, the form or the query (RFC 6750, section 2). */
function bearerOf(call: Call): string {
  const header = /^bearer +(\S+)$/i.exec(call.headers.authorization ?? '')?.[1];
  return header ?? protocolForm(call).get('access_token') ?? call.query.get('access_token') ?? '';
}

const unauthorized = (): Answer => {
  const [error, description] = [
    'request_unauthorized',
    'The request could not be authorized. Check that you provided valid credentials in the right format.',
  ];
  return refusal(error, description, { error, error_description: description });
};

const refusal = (error: string, description: string, body: Record<string, string>): Answer =>
  json(401, body, {
    'Content-Type': 'application/json',
    'WWW-Authenticate': `Bearer error="${error}",error_description="${description}"`,
  });
