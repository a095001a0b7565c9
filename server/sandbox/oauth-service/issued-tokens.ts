import { randomBytes } from 'node:crypto';
import type { SandboxDatabase } from '../sandbox-database.ts';

export type TokenUse = 'access_token' | 'refresh_token';

export interface IssuedToken {
  value: string;
  use: TokenUse;
  clientId: string;
  /** Undefined for a client's own tokens. */
  consentId: string | undefined;
  /** Space-separated. */
  scope: string;
  /** Seconds since the epoch. */
  issuedAt: number;
  expiresAt: number;
  /** Whether this refresh token was exchanged for another. */
  spent: boolean;
}

export interface IssuedTokens {
  issue(token: Pick<IssuedToken, 'use' | 'clientId' | 'consentId' | 'scope'>, lifespanSeconds: number): IssuedToken;
  /** Undefined if it is unknown, expired or revoked. */
  find(value: string): IssuedToken | undefined;
  spend(value: string): void;
  remove(value: string): void;
  removeOfConsent(consentId: string, use?: TokenUse): void;
  removeAccessTokensOf(clientId: string): void;
}

interface Row {
  value: string;
  use: TokenUse;
  client_id: string;
  consent_id: string | null;
  scope: string;
  issued_at: number;
  expires_at: number;
  spent: number;
}

const PREFIXES: Record<TokenUse, string> = { access_token: 'ory_at_', refresh_token: 'ory_rt_' };

/** @param now milliseconds since the epoch */
export function issuedTokens(database: SandboxDatabase, now: () => number): IssuedTokens {
  const seconds = () => Math.floor(now() / 1000);
  const byValue = database.prepare<[string, number], Row>('SELECT * FROM tokens WHERE value = ? AND expires_at > ?');
  const insert = database.prepare(
    'INSERT INTO tokens (value, use, client_id, consent_id, scope, issued_at, expires_at) VALUES (?, ?, ?, ?, ?, ?, ?)',
  );
  const sweep = database.prepare('DELETE FROM tokens WHERE expires_at <= ?');
  const spend = database.prepare('UPDATE tokens SET spent = 1 WHERE value = ?');
  const remove = database.prepare('DELETE FROM tokens WHERE value = ?');
  const removeOfConsent = database.prepare(
    'DELETE FROM tokens WHERE consent_id = @consentId AND use = ifnull(@use, use)',
  );
  const removeAccess = database.prepare("DELETE FROM tokens WHERE client_id = ? AND use = 'access_token'");
  return {
    issue: (token, lifespanSeconds) => {
      sweep.run(seconds());
      const value = `${PREFIXES[token.use]}${randomBytes(32).toString('base64url')}.${randomBytes(32).toString('base64url')}`;
      const issued = { ...token, value, issuedAt: seconds(), expiresAt: seconds() + lifespanSeconds, spent: false };
      const { use, clientId, consentId = null, scope, issuedAt, expiresAt } = issued;
      insert.run(value, use, clientId, consentId, scope, issuedAt, expiresAt);
      return issued;
    },
    find: (value) => {
      const row = byValue.get(value, seconds());
      return (
        row && {
          value,
          use: row.use,
          clientId: row.client_id,
          consentId: row.consent_id ?? undefined,
          scope: row.scope,
          issuedAt: row.issued_at,
          expiresAt: row.expires_at,
          spent: row.spent === 1,
        }
      );
    },
    spend: (value) => {
      spend.run(value);
    },
    remove: (value) => {
      remove.run(value);
    },
    removeOfConsent: (consentId, use) => {
      removeOfConsent.run({ consentId, use: use ?? null });
    },
    removeAccessTokensOf: (clientId) => {
      removeAccess.run(clientId);
    },
  };
}
