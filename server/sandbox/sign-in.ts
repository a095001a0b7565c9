import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Provider } from 'oidc-provider';
import type { Deployment } from '../../shared/deployment.ts';
import { readCall } from './http/call.ts';
import type { passwordSignIn } from './identity-service/password-sign-in.ts';
import type { Page } from './pages/page.ts';
import { signInPage, startAgainPage } from './pages/sign-in-page.ts';

export interface SignInOptions {
  deployment: Deployment;
  provider: Provider;
  signIn: ReturnType<typeof passwordSignIn>;
  /** Where the dashboard begins a sign-in. */
  loginUrl: string;
  hints: readonly string[];
}

const PROBLEMS = {
  wrong: 'The e-mail or username and the password do not belong together.',
  inactive: 'This account is not active. An administrator can activate it again.',
};

/** `GET` and `POST /login/<uid>`: shows the form, checks it, and hands the browser back to the provider. */
export const signInHandler =
  ({ deployment, provider, signIn, loginUrl, hints }: SignInOptions) =>
  async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    const call = await readCall(req);
    const interaction = await provider.interactionDetails(req, res).catch(() => undefined);
    if (interaction === undefined || call.path !== `/login/${interaction.uid}`)
      return send(res, 400, startAgainPage(deployment, loginUrl, 'the sign-in was not found in this browser'));
    const show = (identifier: string, problem?: string) => {
      const { client_id, redirect_uri } = interaction.params;
      const clientName = client_id === 'dashboard' ? 'the dashboard' : String(client_id);
      const returnOrigin = new URL(String(redirect_uri)).origin;
      send(
        res,
        200,
        signInPage({ deployment, uid: interaction.uid, clientName, returnOrigin, identifier, problem, hints }),
      );
    };
    if (call.method !== 'POST') return show(String(interaction.params.login_hint ?? ''));
    const form = new URLSearchParams(call.body);
    if (form.has('cancel'))
      return provider.interactionFinished(req, res, {
        error: 'access_denied',
        error_description: 'The sign-in was cancelled.',
      });
    const identifier = form.get('identifier') ?? '';
    const userAgent = call.headers['user-agent'];
    const result = await signIn({ identifier, password: form.get('password') ?? '', userAgent, peer: call.peer });
    if (result.outcome !== 'signed-in') return show(identifier, PROBLEMS[result.outcome]);
    const login = { accountId: result.identity.id, amr: ['pwd'], remember: false };
    await provider.interactionFinished(req, res, { login }, { mergeWithLastSubmission: false });
  };

function send(res: ServerResponse, status: number, { headers, body }: Page): void {
  res.writeHead(status, headers).end(body);
}
