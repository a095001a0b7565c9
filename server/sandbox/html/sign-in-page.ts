import type { Deployment } from '../../../shared/deployment.ts';
import { markup } from './markup.ts';
import { type Page, page } from './page.ts';

export interface SignInPageOptions {
  deployment: Deployment;
  /** The provider's interaction that this page is part of. */
  uid: string;
  clientName: string;
  /** The origin or scheme of the redirect after sign-in. */
  returnsTo: string;
  identifier: string;
  problem?: string;
  hints: readonly string[];
}

export function signInPage(options: SignInPageOptions): Page {
  const { deployment, uid, clientName, identifier, problem, hints } = options;
  const invalid = problem === undefined ? markup`` : markup` aria-invalid="true" aria-describedby="problem"`;
  const [onIdentifier, onPassword] =
    identifier === '' ? [markup` autofocus`, markup``] : [markup``, markup` autofocus`];
  return page(
    deployment,
    'Sign in',
    markup`<h1>Sign in</h1>
<p class="lead">to continue to <strong>${clientName}</strong></p>
${problem === undefined ? markup`` : markup`<p class="alert" id="problem" role="alert">${problem}</p>`}
<form method="post" action="/login/${uid}">
<label for="identifier">E-mail or username</label>
<input id="identifier" name="identifier" type="text" inputmode="email" autocomplete="username" autocapitalize="none" spellcheck="false" maxlength="255" required value="${identifier}"${invalid}${onIdentifier}>
<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="current-password" maxlength="1024" required${invalid}${onPassword}>
<div class="actions">
<button type="submit">Sign in</button>
<button type="submit" class="quiet" name="cancel" value="true" formnovalidate>Cancel</button>
</div>
</form>
<p class="aside"><a href="/recovery">Forgot the password?</a></p>
<div class="note"><p>Demo operators; their passwords are printed in the terminal where the sandbox was started:</p>
<ul>${hints.map((address) => markup`<li><code>${address}</code></li>`)}</ul></div>`,
    [options.returnsTo],
  );
}

/** For a sign-in that cannot continue: an old tab, the back button, a bookmark. */
export const startAgainPage = (deployment: Deployment, loginUrl: string, problem: string): Page =>
  page(
    deployment,
    'Start again',
    markup`<h1>Start again</h1>
<p class="lead">This sign-in has expired or was started in another browser. Nothing is lost: start a new one.</p>
<div class="actions"><a class="button" href="${loginUrl}">Start again</a></div>
<div class="note"><p>Reason: ${problem}</p></div>`,
  );
