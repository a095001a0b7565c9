import { randomUUID } from 'node:crypto';
import type { Express } from 'express';
import type { Provider } from 'oidc-provider';
import type { Role } from '../../shared/capabilities.ts';
import type { Deployment } from '../../shared/upstreams.ts';
import { BoundedMap } from '../caches.ts';
import { operatorsWith } from './deployment-settings.ts';
import { formOf } from './http.ts';
import { type IdentityDocument, normalised } from './identity-service/identities.ts';
import { type Device, SESSION_LIFESPAN_MS } from './identity-service/sessions.ts';
import { alert, invalid, markup, type Page, page, sendPage } from './page.ts';
import type { SandboxParts } from './parts.ts';
import { verifyPassword } from './passwords.ts';
import { addressOf, recordEvent } from './telemetry.ts';

type SignInOutcome =
  | { outcome: 'wrong' | 'inactive' }
  | { outcome: 'signed-in'; identity: IdentityDocument; sessionId: string };

interface SignInAttempt {
  identifier: string;
  password: string;
  device: Omit<Device, 'id'>;
}

/** Kratos' sentences. */
export const REASONS = {
  wrong:
    'the provided credentials are invalid, check for spelling mistakes in your password or username, email address, or phone number',
  inactive: 'This account was disabled.',
};
const PASSWORD = { SelfServiceMethodUsed: 'password' };

function refused(outcome: keyof typeof REASONS, IdentityID?: string): SignInOutcome {
  const Reason = REASONS[outcome];
  recordEvent('LoginFailed', { ...PASSWORD, Reason, ErrorReason: Reason, IdentityID });
  return { outcome };
}

export const passwordSignIn =
  ({ identities, sessions, now }: SandboxParts) =>
  async ({ identifier, password, device }: SignInAttempt): Promise<SignInOutcome> => {
    const identity = identities.findByIdentifier('password', normalised(identifier));
    const hash = identity?.credentials.password?.config.hashed_password;
    const right = verifyPassword(password, typeof hash === 'string' ? hash : undefined);
    // Only a wrong password names the identity.
    if (identity === undefined || !right) return refused('wrong', identity?.id);
    if (identity.state !== 'active') return refused('inactive');
    const at = new Date(now()).toISOString();
    const document = {
      id: randomUUID(),
      active: true,
      expires_at: new Date(now() + SESSION_LIFESPAN_MS).toISOString(),
      authenticated_at: at,
      authenticator_assurance_level: 'aal1',
      authentication_methods: [{ method: 'password', aal: 'aal1', completed_at: at }],
      issued_at: at,
      devices: [{ id: randomUUID(), ...device }],
    };
    sessions.insert({ identityId: identity.id, document });
    recordEvent('LoginSucceeded', { ...PASSWORD, IdentityID: identity.id, SessionID: document.id });
    return { outcome: 'signed-in', identity, sessionId: document.id };
  };

/**
 * @param options.uid the provider's interaction that this page is part of
 * @param options.returnsTo the origin or scheme of the redirect after sign-in
 */
function signInPage(options: {
  deployment: Deployment;
  roles: readonly Role[];
  uid: string;
  clientName: string;
  returnsTo: string;
  identifier: string;
  problem: string | undefined;
}): Page {
  const { deployment, roles, uid, clientName, identifier, problem } = options;
  const [onIdentifier, onPassword] =
    identifier === '' ? [markup` autofocus`, markup``] : [markup``, markup` autofocus`];
  return page(
    deployment,
    'Sign in',
    markup`<h1>Sign in</h1>
<p class="lead">to continue to <strong>${clientName}</strong></p>
${alert(problem)}
<form method="post" action="/login/${uid}">
<label for="identifier">E-mail or username</label>
<input id="identifier" name="identifier" type="text" inputmode="email" autocomplete="username" autocapitalize="none" spellcheck="false" maxlength="255" required value="${identifier}"${invalid(problem)}${onIdentifier}>
<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="current-password" maxlength="1024" required${invalid(problem)}${onPassword}>
<div class="actions">
<button type="submit">Sign in</button>
<button type="submit" class="quiet" name="cancel" value="true" formnovalidate>Cancel</button>
</div>
</form>
<p class="aside"><a href="/recovery">Forgot the password?</a></p>
<div class="note"><p>Demo operators; their passwords are printed in the terminal where the sandbox was started:</p>
<ul>${operatorsWith(roles).map(({ email }) => markup`<li><code>${email}</code></li>`)}</ul></div>`,
    [options.returnsTo],
  );
}

/** The page for a sign-in that cannot continue, for example after using an old tab, the back button or a bookmark. */
export const startAgainPage = (deployment: Deployment, loginUrl: string, problem: string): Page =>
  page(
    deployment,
    'Start again',
    markup`<h1>Start again</h1>
<p class="lead">This sign-in has expired or was started in another browser. Nothing is lost: start a new one.</p>
<div class="actions"><a class="button" href="${loginUrl}">Start again</a></div>
<div class="note"><p>Reason: ${problem}</p></div>`,
  );

type LockingSignIn = (attempt: SignInAttempt) => Promise<SignInOutcome | { outcome: 'locked' | 'unavailable' }>;

const ATTEMPTS = 5;
const WITHIN_MS = 10 * 60_000;
const LOCKED_MS = 15 * 60_000;
const COUNTED_MAX = 10_000;

/**
 * Five wrong passwords within ten minutes lock an identifier for fifteen, whether or not it exists: responses must not
 * reveal that. While locked, even the right password is refused.
 * @param parts.locks without it, nothing is ever locked
 */
function lockingSignIn(parts: SandboxParts): LockingSignIn {
  const { locks: table, now } = parts;
  const signIn = passwordSignIn(parts);
  if (table === undefined) return signIn;
  /** Times of wrong passwords by identifier, most recent failure last. */
  const wrong = new BoundedMap<string, number[]>(COUNTED_MAX);
  const time = (at: number): string => new Date(at).toISOString();

  async function noteWrong(identifier: string, peer: string | null): Promise<void> {
    const at = now();
    const times = [...(wrong.get(identifier) ?? []).filter((earlier) => earlier > at - WITHIN_MS), at];
    wrong.delete(identifier);
    if (times.length < ATTEMPTS) wrong.set(identifier, times);
    else
      await table?.lock({
        identifier,
        attempts: times.length,
        ip: ipOf(peer),
        at: time(at),
        until: time(at + LOCKED_MS),
      });
  }

  return async (attempt) => {
    const identifier = normalised(attempt.identifier);
    try {
      if (await table.isLocked(identifier, time(now()))) return { outcome: 'locked' };
      const result = await signIn(attempt);
      if (result.outcome === 'wrong') await noteWrong(identifier, attempt.device.ip_address);
      // Check again, since many guesses may have run concurrently.
      if (await table.isLocked(identifier, time(now()))) return { outcome: 'locked' };
      if (result.outcome === 'signed-in') wrong.delete(identifier);
      return result;
    } catch {
      return { outcome: 'unavailable' };
    }
  };
}

/** A device's address may include its port. */
const ipOf = (address: string | null): string | null =>
  address !== null && URL.canParse(`http://${address}`)
    ? new URL(`http://${address}`).hostname.replace(/^\[|\]$/g, '')
    : null;

const PROBLEMS = {
  wrong: 'The e-mail or username, or the password, is wrong.',
  inactive: 'This account is not active. An administrator can activate it again.',
  locked:
    'This account is locked after too many wrong passwords. Try again in a quarter of an hour, or ask an administrator to unlock it.',
  unavailable: 'Sign-in is unavailable at the moment. Try again in a minute.',
};

/** How many finished sign-ins are remembered, so that users who navigate back to one are redirected. */
const ENDED_REMEMBERED = 1_000;

/** `GET` and `POST /login/<uid>`: shows the form, checks it, and returns the browser to the provider. */
export function addSignInPage(app: Express, parts: SandboxParts, provider: Provider): void {
  const { deployment, loginUrl } = parts;
  const signIn = lockingSignIn(parts);
  const ended = new BoundedMap<string, true>(ENDED_REMEMBERED);

  app.all('/login/:uid', async (req, res) => {
    const { uid } = req.params;
    const interaction = await provider.interactionDetails(req, res).catch(() => undefined);
    if (interaction?.uid !== uid)
      // Redirects to where the sign-in started, as Hydra does for a used challenge.
      return req.method !== 'POST' && ended.has(uid)
        ? res.redirect(302, new URL('/dashboard', loginUrl).href)
        : sendPage(res, 400, startAgainPage(deployment, loginUrl, 'the sign-in was not found in this browser'));
    const { client_id, redirect_uri, login_hint } = interaction.params;
    const show = async (identifier: string, problem?: string) => {
      const client = await provider.Client.find(String(client_id));
      const clientName = client?.clientName ?? String(client_id);
      // The source that the page's policy must allow for the form's redirects: an origin, or an app's own scheme.
      const { origin, protocol } = new URL(String(redirect_uri));
      const returnsTo = origin === 'null' ? protocol : origin;
      sendPage(
        res,
        200,
        signInPage({ deployment, roles: parts.roles, uid, clientName, returnsTo, identifier, problem }),
      );
    };
    if (req.method !== 'POST') return show(String(login_hint ?? ''));
    const form = formOf(req);
    if (form.has('cancel')) {
      const refusal = { error: 'access_denied', error_description: 'The sign-in was cancelled.' };
      return provider.interactionFinished(req, res, refusal);
    }
    const identifier = form.get('identifier') ?? '';
    const device = { ip_address: addressOf(req), user_agent: req.get('User-Agent') ?? null, location: '' };
    const result = await signIn({ identifier, password: form.get('password') ?? '', device });
    if (result.outcome !== 'signed-in') return show(identifier, PROBLEMS[result.outcome]);
    const login = { accountId: result.identity.id, acr: 'aal1', amr: ['password'], remember: false };
    ended.set(uid, true);
    await provider.interactionFinished(req, res, { login }, { mergeWithLastSubmission: false });
  });
}
