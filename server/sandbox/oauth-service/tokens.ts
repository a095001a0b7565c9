import { createHash, createPrivateKey, type JsonWebKey, randomBytes, randomUUID, sign } from 'node:crypto';
import type { IdentityDocument } from '../identity-service/identities.ts';
import type { SandboxDatabase } from '../sandbox-database.ts';
import type { Consent } from './consents.ts';

type TokenUse = 'access_token' | 'refresh_token';

export interface IssuedToken {
  value: string;
  use: TokenUse;
  clientId: string;
  /** Null for a client's own tokens. */
  consentId: string | null;
  /** Space-separated. */
  scope: string;
  /** Seconds since the epoch. */
  issuedAt: number;
  expiresAt: number;
}

const PREFIXES: Record<TokenUse, string> = { access_token: 'ory_at_', refresh_token: 'ory_rt_' };

export function issuedTokens(database: SandboxDatabase, now: () => number) {
  const seconds = () => Math.floor(now() / 1000);
  const byValue = database.prepare<[string, number], IssuedToken>(
    `SELECT value, use, client_id AS clientId, consent_id AS consentId, scope, issued_at AS issuedAt,
       expires_at AS expiresAt
     FROM tokens WHERE value = ? AND expires_at > ?`,
  );
  const insert = database.prepare(
    'INSERT INTO tokens (value, use, client_id, consent_id, scope, issued_at, expires_at) VALUES (?, ?, ?, ?, ?, ?, ?)',
  );
  const sweep = database.prepare('DELETE FROM tokens WHERE expires_at <= ?');
  const remove = database.prepare('DELETE FROM tokens WHERE value = ?');
  const removeOfConsent = database.prepare('DELETE FROM tokens WHERE consent_id = ?');
  const removeAccess = database.prepare("DELETE FROM tokens WHERE client_id = ? AND use = 'access_token'");
  return {
    issue: (
      token: Pick<IssuedToken, 'use' | 'clientId' | 'consentId' | 'scope'>,
      lifespanSeconds: number,
    ): IssuedToken => {
      sweep.run(seconds());
      const value = `${PREFIXES[token.use]}${randomBytes(32).toString('base64url')}`;
      const issued = { ...token, value, issuedAt: seconds(), expiresAt: seconds() + lifespanSeconds };
      const { use, clientId, consentId, scope, issuedAt, expiresAt } = issued;
      insert.run(value, use, clientId, consentId, scope, issuedAt, expiresAt);
      return issued;
    },
    /** Undefined if it is unknown, expired or revoked. */
    find: (value: string) => byValue.get(value, seconds()),
    remove: (value: string) => void remove.run(value),
    removeOfConsent: (consentId: string) => void removeOfConsent.run(consentId),
    removeAccessTokensOf: (clientId: string) => void removeAccess.run(clientId),
  };
}

export function identityClaims(
  { traits, verifiable_addresses }: IdentityDocument,
  scopes: readonly string[],
): Record<string, unknown> {
  const email = { email: traits.email, email_verified: verifiable_addresses.some(({ verified }) => verified) };
  const profile = { name: fullName(traits.name), role: traits.role, traits };
  return { ...(scopes.includes('email') ? email : {}), ...(scopes.includes('profile') ? profile : {}) };
}

function fullName(name: unknown): string | undefined {
  if (typeof name === 'string') return name;
  if (typeof name !== 'object' || name === null) return undefined;
  return Object.values(name).join(' ') || undefined;
}

/** Times of a consent in seconds since the epoch: of the request, and of the sign-in. */
export const consentTimes = ({ requestedAt, handledAt }: Consent): { rat: number; auth_time: number } => ({
  rat: epoch(requestedAt),
  auth_time: epoch(handledAt),
});

const epoch = (time: string): number => Math.floor(Date.parse(time) / 1000);

/** Id tokens (OpenID Connect Core, section 2), signed with RS256. */
export function idTokens(issuer: string, jwk: JsonWebKey & { kid?: string }) {
  const key = createPrivateKey({ key: jwk, format: 'jwk' });
  const header = encoded({ alg: 'RS256', kid: jwk.kid, typ: 'JWT' });
  return (consent: Consent, access: IssuedToken, lifespanSeconds: number, nonce?: string): string => {
    const payload = encoded({
      ...consent.claims,
      acr: consent.acr,
      amr: consent.amr,
      at_hash: createHash('sha256').update(access.value).digest().subarray(0, 16).toString('base64url'),
      aud: [access.clientId],
      ...consentTimes(consent),
      exp: access.issuedAt + lifespanSeconds,
      iat: access.issuedAt,
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
