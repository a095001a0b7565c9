import { timingSafeEqual } from 'node:crypto';
import cookieParser from 'cookie-parser';
import { type Request, type RequestHandler, type Response, Router } from 'express';
import { SESSION_EXPIRES_HEADER, type SessionInformation, type SignInFailure } from '../../../shared/session.ts';
import type { AuditTrail } from '../../audit/trail.ts';
import type { Config } from '../../config/config.ts';
import { createSigner, derivedKeys } from '../../crypto/signer.ts';
import type { Database } from '../../db/database.ts';
import { ApiError, methodNotAllowed, sendNotAuthenticated } from '../../http/errors.ts';
import { requestId } from '../../http/request-log.ts';
import type { Log } from '../../log.ts';
import type { Revocations } from '../../session/revocations.ts';
import { cookieValues, type SessionCookies, STATE_COOKIE, sessionCookieOf } from '../../session/session-cookie.ts';
import type { SessionTokens } from '../../session/session-token.ts';
import type { SessionVerifier } from '../../session/session-verifier.ts';
import {
  type FailureKind,
  failureOf,
  gatewayError,
  type ObserveUpstream,
  UpstreamFailure,
} from '../../upstream/failure.ts';
import type { IdentityStore } from '../../upstream/identity-store.ts';
import {
  afterMismatch,
  attemptOf,
  COOKIES_PAGE,
  callbackPlaces,
  type LoginCookie,
  type LoginStateReplay,
  LoginStateReplayed,
  loginCookie,
  loginStateReplay,
} from './login-state.ts';
import { type OAuthProvider, oauthProvider, SignInFailed } from './oauth-provider.ts';
import { refusalRecords, type SignIn, signIn } from './sign-in.ts';
import { type SignOuts, signOuts } from './sign-outs.ts';

export interface AuthDeps {
  provider: OAuthProvider;
  signIn: SignIn;
  loginCookie: LoginCookie;
  states: Pick<LoginStateReplay, 'has' | 'take'>;
  cookies: SessionCookies;
  tokens: SessionTokens;
  verify: SessionVerifier;
  signOuts: Pick<SignOuts, 'end'>;
  /** The key the caller is counted by, derived from its address. */
  peerOf: (req: Request) => string;
  log: Log;
}

/** `/api/auth/**`: login, callback, session and logout (docs/api.md#sign-in-and-session). */
export function authRouter(deps: AuthDeps): Router {
  const router = Router({ caseSensitive: true });
  // For the mark of a sign-out only; of all others, several may come.
  router.use(cookieParser());
  // HEAD must not be handled as GET: it would start or finish a sign-in that nobody sees.
  router.head(['/login', '/callback'], methodNotAllowed('GET'));
  router.get('/login', login(deps));
  router.get('/callback', callback(deps));
  router.get('/session', session(deps));
  router.post('/logout', logout(deps));
  router.all(['/login', '/callback'], methodNotAllowed('GET'));
  router.all('/session', methodNotAllowed('GET, HEAD'));
  router.all('/logout', methodNotAllowed('POST'));
  return router;
}

function login({ provider, loginCookie, cookies }: AuthDeps): RequestHandler {
  return (req, res) => {
    // Another host has set one of the two, which would outlast every sign-in: only the operator can delete it.
    if (typeof sessionCookieOf(req) === 'object') return redirect(res, COOKIES_PAGE);
    const { state, challenge, sealed } = loginCookie.begin(attemptOf(req.query.attempt));
    cookies.setLogin(res, state, sealed);
    const prompt = cookies.isSignedOut(req.cookies) ? 'login' : undefined;
    redirect(res, provider.authorizationUrl({ state, challenge, prompt }));
  };
}

function callback({ signIn, loginCookie, states, cookies, tokens, peerOf, log }: AuthDeps): RequestHandler {
  const places = callbackPlaces();

  /**
   * The state and verifier of this browser's attempt, unless the state was used. Another application of the same domain
   * may have cookies of these names: those that fit count.
   */
  function attemptFrom(req: Request): { state: string; verifier: string } | undefined {
    const { state } = req.query;
    if (typeof state !== 'string' || !cookieValues(req, STATE_COOKIE).some((value) => sameText(state, value)))
      return undefined;
    const sealed = cookieValues(req, cookies.loginCookie);
    const verifier = sealed.map((value) => loginCookie.open(value, state)).find((opened) => opened !== undefined);
    return verifier === undefined || states.has(state) ? undefined : { state, verifier };
  }

  async function finish(req: Request, res: Response): Promise<void> {
    // Checked again: the state may have been used while this request waited.
    const attempt = attemptFrom(req);
    if (attempt === undefined) {
      redirect(res, afterMismatch(req.query.state));
      return;
    }
    // Each state is good for one attempt, whatever the outcome.
    states.take(attempt.state);
    cookies.clearLogin(res);
    try {
      const session = await signIn.complete({ ...attempt, ...grantOf(req.query) });
      cookies.setSession(res, tokens.issue(session), session.expiresAt - session.issuedAt);
      cookies.clearSignedOut(res);
      redirect(res, '/dashboard');
    } catch (failure) {
      if (failure instanceof LoginStateReplayed) {
        redirect(res, afterMismatch(attempt.state));
        return;
      }
      // Browsers are redirected whatever happens, so the cause appears only here.
      log.warn({ id: requestId(res), error: failure }, 'sign-in failed');
      if (failure instanceof SignInFailed) refuse(req, res, failure.reason);
      else if (failure instanceof UpstreamFailure) outOfReach(req, res, failure);
      else throw failure;
    }
  }

  return async (req, res) => {
    if (attemptFrom(req) === undefined) {
      redirect(res, afterMismatch(req.query.state));
      return;
    }
    const leave = await places.enter(peerOf(req), res);
    if (leave !== undefined) await finish(req, res).finally(leave);
  };
}

/** The provider's redirect parameters (RFC 6749, section 4.1.2). */
function grantOf({ code, error }: Request['query']): { code: string } | { refused: SignInFailure } {
  if (error === undefined && typeof code === 'string' && code !== '') return { code };
  return { refused: error === 'access_denied' ? 'denied' : 'provider_refused' };
}

function redirect(res: Response, location: string): void {
  res.writeHead(302, { Location: location }).end();
}

/** Both must be the same non-empty text; compared in constant time. */
function sameText(a: string, b: string): boolean {
  if (a === '') return false;
  const left = Buffer.from(a);
  const right = Buffer.from(b);
  return left.length === right.length && timingSafeEqual(left, right);
}

const isNavigation = (req: Request): boolean => req.headers.accept?.includes('text/html') === true;

/** Browsers are redirected to a page that explains; other callers get JSON. */
function refuse(req: Request, res: Response, reason: SignInFailure): void {
  if (!isNavigation(req)) throw new ApiError('not_authenticated');
  redirect(res, `/sign-in-failed?reason=${reason}`);
}

/** Retrying does not help: only the identity store is called with a key. */
const KEY_FAILURES: ReadonlySet<FailureKind> = new Set(['refuses_key', 'key_unreadable']);

function outOfReach(req: Request, res: Response, failure: UpstreamFailure): void {
  if (!isNavigation(req)) throw gatewayError(failureOf(failure));
  const reason: SignInFailure = KEY_FAILURES.has(failure.kind) ? 'store_key' : 'provider_unreachable';
  redirect(res, `/sign-in-failed?reason=${reason}`);
}

function session({ verify, cookies }: AuthDeps): RequestHandler {
  return async (req, res) => {
    const verdict = await verify(req);
    if (typeof verdict === 'object') {
      const { identityId, email, role, expiresAt } = verdict;
      res.setHeader(SESSION_EXPIRES_HEADER, new Date(expiresAt * 1000).toISOString());
      res.json({ user: { identityId, email, role } } satisfies SessionInformation);
      return;
    }
    if (verdict === 'stale') cookies.clearSession(res);
    sendNotAuthenticated(res);
  };
}

function logout({ verify, cookies, signOuts }: AuthDeps): RequestHandler {
  return async (req, res) => {
    const verdict = await verify(req);
    cookies.clearSession(res);
    cookies.setSignedOut(res);
    // The session is over for this process either way; success is reported only if all processes will know.
    if (typeof verdict === 'object' && !(await signOuts.end(verdict))) throw new ApiError('service_unavailable');
    res.status(204).end();
  };
}

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
