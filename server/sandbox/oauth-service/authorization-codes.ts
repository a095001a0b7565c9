import type { SandboxDatabase } from '../sandbox-database.ts';

/** A code as stored by the OpenID provider. */
export interface AuthorizationCode {
  clientId: string;
  /** The consent created at sign-in. */
  grantId: string;
  redirectUri: string;
  nonce?: string;
  /** Absent without PKCE. */
  codeChallenge?: string;
  /** Set once a verifier was tried: each challenge allows one attempt. */
  challengeTried?: number;
  /** Set once the code was exchanged. */
  consumed?: number;
}

export interface AuthorizationCodes {
  /** Undefined if it is unknown or expired. */
  find(code: string): AuthorizationCode | undefined;
  consume(code: string): void;
  tryChallenge(code: string): void;
}

/** @param now milliseconds since the epoch */
export function authorizationCodes(database: SandboxDatabase, now: () => number): AuthorizationCodes {
  const seconds = () => Math.floor(now() / 1000);
  const byId = database.prepare<[string, number], { payload: string }>(
    "SELECT payload FROM openid WHERE model = 'AuthorizationCode' AND id = ? AND expires_at > ?",
  );
  const mark = database.prepare(
    "UPDATE openid SET payload = json_set(payload, @mark, @at) WHERE model = 'AuthorizationCode' AND id = @code",
  );
  return {
    find: (code) => {
      const row = byId.get(code, seconds());
      return row && (JSON.parse(row.payload) as AuthorizationCode);
    },
    consume: (code) => {
      mark.run({ code, mark: '$.consumed', at: seconds() });
    },
    tryChallenge: (code) => {
      mark.run({ code, mark: '$.challengeTried', at: seconds() });
    },
  };
}
