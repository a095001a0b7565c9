import { timingSafeEqual } from 'node:crypto';
import type { Deployment } from '../../shared/upstreams.ts';
import { type Answer, type Call, html, type Route, route } from './http.ts';
import type { IdentityStore } from './identity-service/identity-store.ts';
import { FLOW_LIFESPAN_MS, type Flow, type FlowStore, type MailCode } from './identity-service/recovery-flow.ts';
import { markup, type Page, page } from './page.ts';
import { hashPassword } from './passwords.ts';
import { startAgainPage } from './sign-in.ts';

const alert = (problem: string | undefined) =>
  problem === undefined ? markup`` : markup`<p class="alert" id="problem" role="alert">${problem}</p>`;

/** Asks for the address to mail a code to. */
export const askAddressPage = (deployment: Deployment, loginUrl: string, messagesUrl: string): Page =>
  page(
    deployment,
    'Recover your account',
    markup`<h1>Recover your account</h1>
<p class="lead">If the address belongs to an account, a code is mailed to it. No mail leaves this machine: the identity service keeps it in its queue, which administrators can see on the dashboard’s page of <a href="${messagesUrl}">messages</a>.</p>
<form method="post" action="/recovery">
<label for="email">E-mail</label>
<input id="email" name="email" type="email" autocomplete="email" maxlength="255" required autofocus>
<div class="actions"><button type="submit">Send the code</button><a class="button quiet" href="${loginUrl}">Back to sign-in</a></div>
</form>`,
  );

/** Asks for a new password, and for the code unless the link contains a token. */
export const newPasswordPage = (
  deployment: Deployment,
  flowId: string,
  token: string | undefined,
  problem?: string,
): Page => {
  const invalid = problem === undefined ? markup`` : markup` aria-invalid="true" aria-describedby="problem"`;
  const secret =
    token === undefined
      ? markup`<label for="code">Code</label>
<input id="code" name="code" type="text" inputmode="numeric" autocomplete="one-time-code" pattern="[0-9]{6}" maxlength="6" required autofocus${invalid}>`
      : markup`<input type="hidden" name="token" value="${token}">`;
  return page(
    deployment,
    'Choose a new password',
    markup`<h1>Choose a new password</h1>
<p class="lead">${token === undefined ? 'Enter the six-digit code and a new password.' : 'With this link you can set your password once.'}</p>
${alert(problem)}
<form method="post" action="/recovery?flow=${flowId}">
${secret}
<label for="password">New password</label>
<input id="password" name="password" type="password" autocomplete="new-password" minlength="8" maxlength="1024" required${invalid}>
<div class="actions"><button type="submit">Set the password</button></div>
</form>`,
  );
};

export const passwordSetPage = (deployment: Deployment, loginUrl: string): Page =>
  page(
    deployment,
    'The password is set',
    markup`<h1>The password is set</h1>
<p class="lead">You can sign in with it now.</p>
<div class="actions"><a class="button" href="${loginUrl}">Sign in</a></div>`,
  );

export interface RecoveryOptions {
  deployment: Deployment;
  flows: FlowStore;
  identities: IdentityStore;
  mail: MailCode;
  loginUrl: string;
  /** The dashboard's page of mailed messages. */
  messagesUrl: string;
  now: () => number;
}

const PASSWORD_MIN_CHARACTERS = 8;

/** `/recovery`: pages where recovery codes and links are redeemed, and where a code can be requested. */
export function recoveryPages({
  deployment,
  flows,
  identities,
  mail,
  loginUrl,
  messagesUrl,
  now,
}: RecoveryOptions): Route[] {
  const setPassword = async (call: Call, flow: Flow): Promise<Answer> => {
    const form = new URLSearchParams(call.body);
    const token = form.get('token') ?? undefined;
    const identity = identities.find(flow.identityId ?? '');
    if (identity === undefined || !sameSecret(flow.secret, token ?? form.get('code') ?? ''))
      return show(200, newPasswordPage(deployment, flow.id, token, 'The code is not correct.'));
    const password = form.get('password') ?? '';
    if (password.length < PASSWORD_MIN_CHARACTERS)
      return show(200, newPasswordPage(deployment, flow.id, token, 'The password must have at least 8 characters.'));
    const at = new Date(now()).toISOString();
    const before = identity.credentials.password ?? { type: 'password', identifiers: [], version: 0, created_at: at };
    const credential = { ...before, config: { hashed_password: await hashPassword(password) }, updated_at: at };
    identities.replace({ ...identity, credentials: { ...identity.credentials, password: credential }, updated_at: at });
    flows.end(flow.id);
    return show(200, passwordSetPage(deployment, loginUrl));
  };
  const ended = () => show(400, startAgainPage(deployment, loginUrl, 'the recovery has expired or was used'));

  return [
    route('GET', '/recovery', ({ query }) => {
      const id = query.get('flow');
      if (id === null) return show(200, askAddressPage(deployment, loginUrl, messagesUrl));
      const flow = flows.find(id, 'recovery');
      return flow === undefined
        ? ended()
        : show(200, newPasswordPage(deployment, flow.id, query.get('token') ?? undefined));
    }),
    route('POST', '/recovery', (call) => {
      const id = call.query.get('flow');
      if (id === null) {
        const flow = flows.begin({ kind: 'recovery', expiresAt: now() + FLOW_LIFESPAN_MS });
        mail(flow, 'recovery', new URLSearchParams(call.body).get('email') ?? '');
        return { status: 303, headers: { Location: `/recovery?flow=${flow.id}` } };
      }
      const flow = flows.find(id, 'recovery');
      return flow === undefined ? ended() : setPassword(call, flow);
    }),
  ];
}

const show = (status: number, { headers, body }: Page): Answer => html(status, body, headers);

function sameSecret(expected: string | undefined, given: string): boolean {
  const [left, right] = [Buffer.from(expected ?? ''), Buffer.from(given)];
  return left.length > 0 && left.length === right.length && timingSafeEqual(left, right);
}
