import type { Deployment } from '../../../shared/deployment.ts';
import { markup } from './markup.ts';
import { type Page, page } from './page.ts';

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
