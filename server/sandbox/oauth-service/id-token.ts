import { createHash, createPrivateKey, type JsonWebKey, randomUUID, sign } from 'node:crypto';
import type { Consent } from './consent-store.ts';

export interface IdTokenOptions {
  clientId: string;
  accessToken: string;
  nonce?: string;
  /** Seconds since the epoch. */
  issuedAt: number;
  lifespanSeconds: number;
}

export type IdTokens = (consent: Consent, options: IdTokenOptions) => string;

/** Times of a consent in seconds since the epoch: of the request, and of the sign-in. */
export const consentTimes = ({ requestedAt, handledAt }: Consent): { rat: number; auth_time: number } => ({
  rat: epoch(requestedAt),
  auth_time: epoch(handledAt),
});

const epoch = (time: string): number => Math.floor(Date.parse(time) / 1000);

/** Id tokens (OpenID Connect Core, section 2), signed with RS256. */
export function idTokens(issuer: string, jwk: JsonWebKey & { kid?: string }): IdTokens {
  const key = createPrivateKey({ key: jwk, format: 'jwk' });
  const header = encoded({ alg: 'RS256', kid: jwk.kid, typ: 'JWT' });
  return (consent, { clientId, accessToken, nonce, issuedAt, lifespanSeconds }) => {
    const payload = encoded({
      ...consent.claims,
      acr: consent.acr,
      amr: consent.amr,
      at_hash: createHash('sha256').update(accessToken).digest().subarray(0, 16).toString('base64url'),
      aud: [clientId],
      ...consentTimes(consent),
      exp: issuedAt + lifespanSeconds,
      iat: issuedAt,
      iss: issuer,
      jti: randomUUID(),
      nonce,
      sid: consent.loginSessionId,
      sub: consent.subject,
    });
    const signature = sign('sha256', Buffer.from(`${header}.${payload}`), key).toString('base64url');
    return `${header}.${payload}.${signature}`;
  };
}

const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
