import { randomBytes, randomInt, randomUUID, timingSafeEqual } from 'node:crypto';
import type { Express, Router } from 'express';
import { isUuid } from '../../shared/json.ts';
import type { Deployment } from '../../shared/upstreams.ts';
import { formatDuration, NIL_UUID, parseDuration, uuidProblem } from './formats.ts';
import { formOf, queryOf } from './http.ts';
import { codeMail, linkMail } from './identity-service/courier.ts';
import { malformed, noSuchResource, notFound, requiredBody } from './identity-service/errors.ts';
import { type IdentityDocument, normalised } from './identity-service/identities.ts';
import { alert, invalid, markup, type Page, page, sendPage } from './page.ts';
import type { SandboxParts } from './parts.ts';
import { hashPassword } from './passwords.ts';
import { documentQuery, type SandboxDatabase } from './sandbox-database.ts';
import { startAgainPage } from './sign-in.ts';
import { recordEvent } from './telemetry.ts';

const FLOW_LIFESPAN_MS = 3_600_000;
const newCode = (): string => String(randomInt(1_000_000)).padStart(6, '0');

interface Flow {
  id: string;
  /** Milliseconds since the epoch. */
  expiresAt: number;
  /** The person who recovers the account; absent if nobody has the address. */
  identityId?: string;
  /** Six digits, mailed or displayed, or a token in a link. */
  secret?: string;
}

function flowStore(database: SandboxDatabase, now: () => number) {
  const byId = documentQuery<Flow>(database, 'SELECT document FROM flows WHERE id = ? AND expires_at > ?');
  const insert = database.prepare('INSERT INTO flows (id, expires_at, document) VALUES (?, ?, ?)');
  const remove = database.prepare('DELETE FROM flows WHERE id = ? OR expires_at <= ?');
  return {
    begin: (lifespan: number, identityId?: string, secret?: string): Flow => {
      const flow: Flow = { id: randomUUID(), expiresAt: now() + lifespan, identityId, secret };
      insert.run(flow.id, flow.expiresAt, JSON.stringify(flow));
      return flow;
    },
    /** Undefined if it is unknown or expired. */
    find: (id: string) => byId.get(id, now()),
    end: (id: string): void => {
      remove.run(id, now());
    },
  };
}

/** `POST /admin/recovery/code` and `/admin/recovery/link`: recovery by an operator; no mail is sent. */
export function addRecoveryRoutes(router: Router, parts: SandboxParts): void {
  const { database, now, identities, publicUrl, issuer } = parts;
  const flows = flowStore(database, now);
  const begin = (body: Record<string, unknown>, method: string, secret: string, unknown: () => Error) => {
    // Without an id in the body, Kratos looks for the nil UUID, which belongs to nobody.
    const id = String(body.identity_id ?? NIL_UUID);
    if (!isUuid(id)) throw malformed(`Unable to decode JSON payload: ${uuidProblem(id)}`);
    const lifespan = lifespanIn(body);
    if (identities.find(id.toLowerCase()) === undefined) throw unknown();
    const flow = flows.begin(lifespan, id.toLowerCase(), secret);
    const about = { IdentityID: flow.identityId, SelfServiceMethodUsed: method, FlowID: flow.id };
    recordEvent('RecoveryInitiatedByAdmin', about);
    return { query: `flow=${flow.id}`, expires_at: new Date(flow.expiresAt).toISOString() };
  };
  router.post('/recovery/code', (req, res) => {
    const code = newCode();
    const { query, expires_at } = begin(requiredBody(req), 'code', code, () => notFound('could not find identity'));
    res.status(201).json({ recovery_link: `${issuer}/recovery?${query}`, recovery_code: code, expires_at });
  });
  router.post('/recovery/link', (req, res) => {
    const token = randomBytes(24).toString('base64url');
    const unknown = () => malformed('The requested identity id does not exist.');
    const { query, expires_at } = begin(requiredBody(req), 'link', token, unknown);
    res.json({ recovery_link: `${publicUrl}/self-service/recovery?${query}&token=${token}`, expires_at });
  });
}

/** The flow of the public API by link. An address that is nobody's gets the same response, and no mail. */
export function addRecoveryFlow(app: Express, { database, now, identities, courier, publicUrl }: SandboxParts): void {
  const flows = flowStore(database, now);
  app.get('/self-service/recovery/api', (_req, res) => {
    res.json({ id: flows.begin(FLOW_LIFESPAN_MS).id, type: 'api', state: 'choose_method' });
  });
  app.post('/self-service/recovery', (req, res) => {
    const flow = flows.find(queryOf(req).get('flow') ?? '');
    if (flow === undefined) throw noSuchResource('The recovery flow does not exist or has expired.');
    const address = normalised(String(requiredBody(req).email));
    const identity = identities.findByIdentifier('recovery-email', address);
    if (identity !== undefined) {
      const token = randomBytes(24).toString('base64url');
      const { id } = flows.begin(FLOW_LIFESPAN_MS, identity.id, token);
      courier.queueMail(address, linkMail(`${publicUrl}/self-service/recovery?flow=${id}&token=${token}`));
    }
    res.json({ id: flow.id, type: 'api', active: 'link', state: 'sent_email' });
  });
}

function lifespanIn({ expires_in }: Record<string, unknown>): number {
  if (expires_in === undefined || expires_in === '') return FLOW_LIFESPAN_MS;
  const lifespan = parseDuration(String(expires_in));
  if (lifespan === undefined)
    throw malformed(
      `Unable to parse "expires_in" whose format should match "[0-9]+(ns|us|ms|s|m|h)" but did not: ${expires_in}`,
    );
  if (lifespan <= 0)
    throw malformed(`Value from "expires_in" must result to a future time: ${formatDuration(lifespan)}`);
  return lifespan;
}

const askAddressPage = (deployment: Deployment, loginUrl: string, messagesUrl: string): Page =>
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

/** Requires a new password, and the code unless the link contains a token. */
function newPasswordPage(deployment: Deployment, flowId: string, token: string | undefined, problem?: string): Page {
  const secret =
    token === undefined
      ? markup`<label for="code">Code</label>
<input id="code" name="code" type="text" inputmode="numeric" autocomplete="one-time-code" pattern="[0-9]{6}" maxlength="6" required autofocus${invalid(problem)}>`
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
<input id="password" name="password" type="password" autocomplete="new-password" minlength="8" maxlength="1024" required${invalid(problem)}>
<div class="actions"><button type="submit">Set the password</button></div>
</form>`,
  );
}

const passwordSetPage = (deployment: Deployment, loginUrl: string): Page =>
  page(
    deployment,
    'The password is set',
    markup`<h1>The password is set</h1>
<p class="lead">You can sign in with it now.</p>
<div class="actions"><a class="button" href="${loginUrl}">Sign in</a></div>`,
  );

const PASSWORD_MIN_CHARACTERS = 8;

/** `/recovery`: pages where recovery codes and links are redeemed, and where a code can be requested. */
export function addRecoveryPages(app: Express, parts: SandboxParts): void {
  const { deployment, database, now, identities, courier, loginUrl, messagesUrl, timestamp } = parts;
  const flows = flowStore(database, now);
  const expired = () => startAgainPage(deployment, loginUrl, 'the recovery has expired or was used');
  const setPassword = (identity: IdentityDocument, password: string): void => {
    const at = timestamp();
    const before = identity.credentials.password ?? { type: 'password', identifiers: [], version: 0, created_at: at };
    const credential = { ...before, config: { hashed_password: hashPassword(password) }, updated_at: at };
    identities.replace({ ...identity, credentials: { ...identity.credentials, password: credential }, updated_at: at });
  };

  app.get('/recovery', (req, res) => {
    const query = queryOf(req);
    const id = query.get('flow');
    if (id === null) return sendPage(res, 200, askAddressPage(deployment, loginUrl, messagesUrl));
    const flow = flows.find(id);
    if (flow === undefined) return sendPage(res, 400, expired());
    sendPage(res, 200, newPasswordPage(deployment, flow.id, query.get('token') ?? undefined));
  });
  app.post('/recovery', (req, res) => {
    const form = formOf(req);
    const id = queryOf(req).get('flow');
    if (id === null) {
      const address = normalised(form.get('email') ?? '');
      const identity = identities.findByIdentifier('recovery-email', address);
      const code = newCode();
      if (identity !== undefined) courier.queueMail(address, codeMail('recovery', code));
      const created = flows.begin(FLOW_LIFESPAN_MS, identity?.id, identity && code);
      return res.redirect(303, `/recovery?flow=${created.id}`);
    }
    const flow = flows.find(id);
    if (flow === undefined) return sendPage(res, 400, expired());
    const token = form.get('token') ?? undefined;
    const again = (problem: string) => sendPage(res, 200, newPasswordPage(deployment, flow.id, token, problem));
    const identity = identities.find(flow.identityId ?? '');
    if (identity === undefined || !sameSecret(flow.secret, token ?? form.get('code') ?? ''))
      return again('The code is not correct.');
    const password = form.get('password') ?? '';
    if (password.length < PASSWORD_MIN_CHARACTERS) return again('The password must have at least 8 characters.');
    setPassword(identity, password);
    flows.end(flow.id);
    const about = { IdentityID: identity.id, FlowID: flow.id };
    recordEvent('RecoverySucceeded', { ...about, SelfServiceMethodUsed: token === undefined ? 'code' : 'link' });
    recordEvent('SettingsSucceeded', { ...about, SelfServiceMethodUsed: 'password' });
    sendPage(res, 200, passwordSetPage(deployment, loginUrl));
  });
}

function sameSecret(expected: string | undefined, given: string): boolean {
  const [left, right] = [Buffer.from(expected ?? ''), Buffer.from(given)];
  return left.length > 0 && left.length === right.length && timingSafeEqual(left, right);
}
