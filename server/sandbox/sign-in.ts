import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Provider } from 'oidc-provider';
import type { Deployment } from '../../shared/deployment.ts';
import type { Page } from './html/page.ts';
import { signInPage, startAgainPage } from './html/sign-in-page.ts';
import { readCall } from './http/call.ts';
import { deviceOf } from './identity-service/sessions/client-device.ts';
import type { LockingSignIn } from './locking-sign-in.ts';

export interface SignInOptions {
  deployment: Deployment;
  provider: Provider;
  signIn: LockingSignIn;
  loginUrl: string;
  /** Addresses suggested on the page. */
  hints: readonly string[];
}

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
export function signInHandler({ deployment, provider, signIn, loginUrl, hints }: SignInOptions): RequestListener {
  const ended = new Set<string>();
  const remember = (uid: string): void => {
    ended.add(uid);
    for (const oldest of ended) if (ended.size > ENDED_REMEMBERED) ended.delete(oldest);
  };
  const answer = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    const call = await readCall(req);
    const interaction = await provider.interactionDetails(req, res).catch(() => undefined);
    if (interaction === undefined || call.path !== `/login/${interaction.uid}`)
      // Like Hydra for a used challenge: redirects to where the sign-in started.
      return call.method !== 'POST' && ended.has(call.path.replace('/login/', ''))
        ? void res.writeHead(302, { Location: new URL('/dashboard', loginUrl).href }).end()
        : send(res, 400, startAgainPage(deployment, loginUrl, 'the sign-in was not found in this browser'));
    const { client_id, redirect_uri, login_hint } = interaction.params;
    const show = async (identifier: string, problem?: string) => {
      const client = await provider.Client.find(String(client_id));
      const clientName = client?.clientName ?? String(client_id);
      const returnsTo = formTarget(String(redirect_uri));
      send(
        res,
        200,
        signInPage({ deployment, uid: interaction.uid, clientName, returnsTo, identifier, problem, hints }),
      );
    };
    if (call.method !== 'POST') return show(String(login_hint ?? ''));
    const form = new URLSearchParams(call.body);
    if (form.has('cancel')) {
      const refusal = { error: 'access_denied', error_description: 'The sign-in was cancelled.' };
      return provider.interactionFinished(req, res, refusal);
    }
    const identifier = form.get('identifier') ?? '';
    const result = await signIn({ identifier, password: form.get('password') ?? '', device: deviceOf(call) });
    if (result.outcome !== 'signed-in') return show(identifier, PROBLEMS[result.outcome]);
    const login = { accountId: result.identity.id, acr: 'aal1', amr: ['password'], remember: false };
    remember(interaction.uid);
    await provider.interactionFinished(req, res, { login }, { mergeWithLastSubmission: false });
  };
  return (req, res) => {
    answer(req, res).catch(() => res.destroy());
  };
}

/** The source that the page's policy must allow for the form's redirects: an origin, or an app's own scheme. */
function formTarget(redirectUri: string): string {
  const { origin, protocol } = new URL(redirectUri);
  return origin === 'null' ? protocol : origin;
}

function send(res: ServerResponse, status: number, { headers, body }: Page): void {
  res.writeHead(status, headers).end(body);
}
