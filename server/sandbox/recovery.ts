import { timingSafeEqual } from 'node:crypto';
import type { Deployment } from '../../shared/deployment.ts';
import type { Page } from './html/page.ts';
import { askAddressPage, newPasswordPage, passwordSetPage } from './html/recovery-page.ts';
import { startAgainPage } from './html/sign-in-page.ts';
import { type Answer, html } from './http/answer.ts';
import type { Call } from './http/call.ts';
import { type Route, route } from './http/router.ts';
import { FLOW_LIFESPAN_MS, type Flow, type FlowStore } from './identity-service/flows/flow-store.ts';
import type { MailCode } from './identity-service/flows/mail-flows.ts';
import type { IdentityStore } from './identity-service/identities/identity-store.ts';
import { hashPassword } from './passwords.ts';

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
