import type { Request, Router } from 'express';
import type { AuditTrail } from '../../audit/audit-trail.ts';
import type { Config } from '../../config/config.ts';
import { createSigner, derivedKeys } from '../../crypto/signer.ts';
import type { Database } from '../../db/database.ts';
import type { Log } from '../../log/log.ts';
import type { Revocations } from '../../session/revocations.ts';
import type { SessionCookies } from '../../session/session-cookie.ts';
import type { SessionTokens } from '../../session/session-token.ts';
import type { SessionVerifier } from '../../session/session-verifier.ts';
import type { IdentityStore } from '../../upstream/identity-store.ts';
import type { ObserveUpstream } from '../../upstream/upstream-outcome.ts';
import { authRouter } from './auth-router.ts';
import { loginCookie } from './login-cookie.ts';
import { loginStateReplay } from './login-state-replay.ts';
import { oauthProvider } from './oauth-provider.ts';
import { refusalRecords } from './refusal-records.ts';
import { signIn } from './sign-in.ts';
import { signOuts } from './sign-outs.ts';

/**
 * Signing in and out.
 * @param options.store the operators' identities, if a store is configured
 * @param options.peerOf the key a caller is counted by
 * @param options.now milliseconds since the epoch
 * @param options.monotonic milliseconds on a monotonic clock
 */
export function authentication(options: {
  config: Config;
  store: IdentityStore | undefined;
  database: Database;
  revocations: Revocations;
  cookies: SessionCookies;
  tokens: SessionTokens;
  verify: SessionVerifier;
  peerOf: (req: Request) => string;
  audit: AuditTrail;
  now: () => number;
  monotonic: () => number;
  log: Log;
  observe: ObserveUpstream | undefined;
}): { router: Router; close(): Promise<void> } {
  const { config, store, database, revocations, cookies, tokens, verify, peerOf, audit, now, monotonic, log, observe } =
    options;
  const { operatorSchemaIds, roleFrom } = config.auth;
  const provider = oauthProvider({
    ...config.auth,
    baseUrl: config.baseUrl,
    timeoutMs: config.proxyTimeoutMs,
    observe: observe && ((outcome, seconds) => observe('oauth', 'dashboard', outcome, seconds)),
  });
  const states = loginStateReplay({ database, log, now, monotonic });
  const refusals = refusalRecords({ audit, now });
  const leaving = signOuts({ revocations, audit, log, now });
  const router = authRouter({
    provider,
    signIn: signIn({
      provider,
      store,
      roleFrom,
      schemaIds: operatorSchemaIds === 'any' ? undefined : operatorSchemaIds,
      epochOf: revocations.epochOf,
      states,
      refusals,
      database,
      audit,
      deployment: config.deployment,
      now,
    }),
    loginCookie: loginCookie(createSigner(derivedKeys(config.sessionKeys, 'login-cookie')), now),
    states,
    cookies,
    tokens,
    verify,
    signOuts: leaving,
    peerOf,
    log,
  });
  return {
    router,
    async close() {
      refusals.flush();
      await leaving.drain();
    },
  };
}
