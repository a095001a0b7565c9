import type { ClientDocument } from '../oauth-service/client-document.ts';
import type { Consent } from '../oauth-service/consent-store.ts';
import { identityClaims } from '../oauth-service/identity-claims.ts';
import type { Person } from './people.ts';
import type { Random } from './random.ts';

const SHARE_OF_SIGN_INS = 0.4;

/**
 * What a person granted at some of their sign-ins, all without tokens left.
 * @param signIns when the person signed in, ISO 8601
 * @param clients the clients people sign in to
 * @param issuer the OAuth server's base URL, without trailing slash
 */
export function* consentsOf(
  { identity }: Person,
  signIns: readonly string[],
  clients: readonly ClientDocument[],
  issuer: string,
  random: Random,
): Generator<Consent> {
  for (const at of signIns) {
    if (clients.length === 0 || !random.chance(SHARE_OF_SIGN_INS)) continue;
    const client = random.pick(clients);
    const scopes = client.scope.split(' ').filter((scope) => scope === 'openid' || random.chance(0.8));
    const query = new URLSearchParams({
      response_type: 'code',
      client_id: client.client_id,
      redirect_uri: client.redirect_uris[0] ?? '',
      scope: scopes.join(' '),
      state: random.bytes(12).toString('hex'),
    });
    yield {
      id: random.bytes(32).toString('base64url'),
      subject: identity.id,
      clientId: client.client_id,
      loginSessionId: random.uuid(),
      scopes,
      claims: identityClaims(identity, scopes),
      acr: 'aal1',
      amr: ['password'],
      requestedAt: at,
      handledAt: at,
      requestUrl: `${issuer}/oauth2/auth?${query}`,
      loginChallenge: random.bytes(32).toString('base64url'),
    };
  }
}
