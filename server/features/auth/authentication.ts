import cookieParser from 'cookie-parser';
import { type Request, type RequestHandler, type Response, Router } from 'express';
import {
  PROVIDER_SIGN_OUT_HEADER,
  SESSION_EXPIRES_HEADER,
  type SessionInformation,
  SHORT_SESSION_HEADER,
  type SignInFailure,
} from '../../../shared/session.ts';
import type { Context, SignInOutcome } from '../../context.ts';
import { createSigner, derivedKeys, isSameText } from '../../crypto/signer.ts';
import { ApiError, methodNotAllowed, sendNotAuthenticated } from '../../http/errors.ts';
import { requestId } from '../../http/request-log.ts';
import { cookieValues, STATE_COOKIE, sessionCookieOf } from '../../session/session-cookie.ts';
import { shortMinutes } from '../../session/session-token.ts';
import { failureOf, gatewayError, routeError, UpstreamFailure } from '../../upstream/failure.ts';
import {
  afterMismatch,
  attemptOf,
  COOKIES_PAGE,
  callbackSlots,
  LoginStateReplayed,
  loginCookie,
  loginStateReplay,
} from './login-state.ts';
import { oauthProvider } from './oauth-provider.ts';
import { openidProvider } from './openid-provider.ts';
import { type Provider, type ProviderOptions, SignInFailed } from './provider.ts';
import { refusalRecords, signIn } from './sign-in.ts';
import { signOuts } from './sign-outs.ts';

/**
 * `/api/auth/**`: login, callback, session and logout (docs/api.md#sign-in-and-session).
 * @param observeSignIn called at the end of each attempt that a callback finished
 */
export function authentication(context: Context, observeSignIn: (outcome: SignInOutcome) => void = () => {}) {
  const { config, database, revocations, audit, verify, cookies, tokens, peerOf, clock, log } = context;
  const provider = createProvider(context);
  const states = loginStateReplay({ database, log, ...clock });
  const refusals = refusalRecords({ audit, now: clock.now });
  const completeSignIn = signIn(context, { provider, states, refusals });
  const attemptCookie = loginCookie(createSigner(derivedKeys(config.sessionKeys, 'login-cookie')), clock.now);
  const claimSlot = callbackSlots();
  const signOut = signOuts({ revocations, audit, log, now: clock.now });

  async function login(req: Request, res: Response): Promise<void> {
    // Two session cookies: one was set by another host and would outlast every sign-in. Only the operator can delete it.
    if (typeof sessionCookieOf(req) === 'object') {
      redirect(res, COOKIES_PAGE);
      return;
    }
    const { sealed, ...attempt } = attemptCookie.begin(attemptOf(req.query.attempt));
    const again = cookies.isSignedOut(req.cookies);
    try {
      const address = await provider.authorizationUrl({ ...attempt, again });
      cookies.setLogin(res, attempt.state, sealed);
      redirect(res, address);
    } catch (failure) {
      const outcome = outcomeOf(failure);
      if (outcome === 'error') throw failure;
      log.warn({ id: requestId(res), error: failure }, 'a sign-in could not begin');
      if (!isNavigation(req)) throw routeError(failure instanceof SignInFailed ? failure.cause : failure);
      refuse(req, res, outcome);
    }
  }

  /**
   * The state and verifier of this browser's attempt, undefined if the state has already been used. Another application
   * on the same domain may set cookies with these names, so only matching ones count.
   */
  function attemptFrom(req: Request): { state: string; verifier: string } | undefined {
    const { state } = req.query;
    if (typeof state !== 'string' || state === '') return undefined;
    if (!cookieValues(req, STATE_COOKIE).some((value) => isSameText(state, value))) return undefined;
    const values = cookieValues(req, cookies.loginCookie);
    const verifier = values.map((value) => attemptCookie.open(value, state)).find((opened) => opened !== undefined);
    return verifier === undefined || states.has(state) ? undefined : { state, verifier };
  }

  async function callback(req: Request, res: Response): Promise<void> {
    if (attemptFrom(req) === undefined) return redirect(res, afterMismatch(req.query.state));
    const freeSlot = await claimSlot(peerOf(req), res);
    if (freeSlot !== undefined) await finish(req, res).finally(freeSlot);
  }

  async function finish(req: Request, res: Response): Promise<void> {
    // Check again, since the state may have been used while this request waited.
    const attempt = attemptFrom(req);
    if (attempt === undefined) return redirect(res, afterMismatch(req.query.state));
    // Each state allows one attempt, regardless of the outcome.
    states.take(attempt.state);
    cookies.clearLogin(res);
    try {
      const session = await completeSignIn({ ...attempt, ...grantOf(req.query), iss: issOf(req.query) });
      cookies.setSession(res, tokens.issue(session), session.expiresAt - session.issuedAt);
      cookies.clearSignedOut(res);
      observeSignIn('ok');
      redirect(res, '/dashboard');
    } catch (failure) {
      if (failure instanceof LoginStateReplayed) return redirect(res, afterMismatch(attempt.state));
      // Browsers are always redirected, so the cause appears only in the log.
      const details = failure instanceof SignInFailed ? failure.details : {};
      log.warn({ id: requestId(res), error: failure, ...details }, 'sign-in failed');
      const outcome = outcomeOf(failure);
      observeSignIn(outcome);
      if (failure instanceof UpstreamFailure && !isNavigation(req)) throw gatewayError(failureOf(failure));
      if (outcome === 'error') throw failure;
      refuse(req, res, outcome);
    }
  }

  async function session(req: Request, res: Response): Promise<void> {
    const verdict = await verify(req);
    if (typeof verdict === 'object') {
      const { identityId, email, role, expiresAt } = verdict;
      res.setHeader(SESSION_EXPIRES_HEADER, new Date(expiresAt * 1000).toISOString());
      const minutes = shortMinutes(verdict);
      if (minutes !== undefined) res.setHeader(SHORT_SESSION_HEADER, minutes);
      res.json({ user: { identityId, email, role } } satisfies SessionInformation);
      return;
    }
    if (verdict === 'stale') cookies.clearSession(res);
    sendNotAuthenticated(res);
  }

  async function logout(req: Request, res: Response): Promise<void> {
    const verdict = await verify(req);
    cookies.clearSession(res);
    cookies.setSignedOut(res);
    // This process ends the session either way; success is reported only if all other processes will end it as well.
    if (typeof verdict === 'object' && !(await signOut.end(verdict))) throw new ApiError('service_unavailable');
    const address = await provider.signOutUrl();
    if (address !== undefined) res.setHeader(PROVIDER_SIGN_OUT_HEADER, address);
    res.status(204).end();
  }

  const router = Router({ caseSensitive: true });
  // Used only for the sign-out cookie: a browser may send several of the other cookies, and cookie-parser keeps only
  // one.
  router.use(cookieParser());
  // HEAD must not be handled as GET: it would start or finish a sign-in without its user.
  router.head(['/login', '/callback'], refuseSpeculative, methodNotAllowed('GET'));
  router.get('/login', refuseSpeculative, login);
  router.get('/callback', refuseSpeculative, callback);
  router.get('/session', session);
  router.post('/logout', logout);
  router.all(['/login', '/callback'], methodNotAllowed('GET'));
  router.all('/session', methodNotAllowed('GET, HEAD'));
  router.all('/logout', methodNotAllowed('POST'));
  return {
    router,
    async close(): Promise<void> {
      refusals.flush();
      await signOut.drain();
    },
  };
}

function createProvider({ config, clock, observe }: Context): Provider {
  const { provider, clientId } = config.auth;
  const options: ProviderOptions = {
    clientId,
    baseUrl: config.baseUrl,
    timeoutMs: config.proxyTimeoutMs,
    observe: observe && ((outcome, seconds) => observe('oauth', 'dashboard', outcome, seconds)),
  };
  return provider.kind === 'oauth2'
    ? oauthProvider(provider, options)
    : openidProvider(provider, options, clock.monotonic);
}

/** How browsers announce a request for a page that nobody has opened yet: `Sec-Purpose: prefetch;prerender`. */
const SPECULATIVE = { 'sec-purpose': 'prefetch', purpose: 'prefetch', 'x-moz': 'prefetch', 'x-purpose': 'preview' };

/** Such a request would use up a state or replace cookies, and its response may never be used. */
const refuseSpeculative: RequestHandler = ({ headers }, _res, next) => {
  const announced = Object.entries(SPECULATIVE).some(([name, word]) =>
    new RegExp(`(?:^|,)\\s*${word}\\s*(?:[;,]|$)`, 'i').test(String(headers[name])),
  );
  next(announced ? new ApiError('service_unavailable', { expected: true }) : undefined);
};

/** The provider's redirect parameters (RFC 6749, section 4.1.2). */
function grantOf({ code, error }: Request['query']): { code: string } | { refused: SignInFailed } {
  if (error === undefined && typeof code === 'string' && code !== '') return { code };
  if (error === 'access_denied') return { refused: new SignInFailed('denied') };
  const word = `response_${/^[a-z_]{1,40}$/.test(String(error)) ? error : 'invalid'}`;
  return { refused: new SignInFailed('provider_refused', { word }) };
}

/** Who responded (RFC 9207): one issuer, unless a mix-up is attempted. */
const issOf = ({ iss }: Request['query']): string[] => (iss === undefined ? [] : [iss].flat().map(String));

function redirect(res: Response, location: string): void {
  res.writeHead(302, { Location: location }).end();
}

const isNavigation = (req: Request): boolean => req.headers.accept?.includes('text/html') === true;

/** Redirects browsers to a page that explains the refusal; other callers get JSON. */
function refuse(req: Request, res: Response, reason: SignInFailure): void {
  if (!isNavigation(req)) throw new ApiError('not_authenticated');
  redirect(res, `/sign-in-failed?reason=${reason}`);
}

function outcomeOf(failure: unknown): SignInFailure | 'error' {
  if (failure instanceof SignInFailed) return failure.reason;
  if (!(failure instanceof UpstreamFailure)) return 'error';
  // Signing in again cannot resolve these failures of the identity store, the only service called with a key.
  const isOfKey = failure.kind === 'refuses_key' || failure.kind === 'key_unreadable';
  return isOfKey ? 'store_key' : 'provider_unreachable';
}
