import { timingSafeEqual } from 'node:crypto';
import { html } from './http/answer.js';
import { route } from './http/router.js';
import { FLOW_LIFESPAN_MS } from './identity-service/flow-store.js';
import { askAddressPage, newPasswordPage, passwordSetPage } from './pages/recovery-page.js';
import { startAgainPage } from './pages/sign-in-page.js';
import { hashPassword } from './passwords.js';

const PASSWORD_MIN_CHARACTERS = 8;
/** `/recovery`: where recovery codes and links work, and where a forgotten password's code is asked for. */
export function recoveryPages({ deployment, flows, identities, mail, loginUrl, now }) {
  const setPassword = async (call, flow) => {
    const form = new URLSearchParams(call.body);
    const token = form.get('token') ?? undefined;
    const identity = identities.find(flow.identityId ?? '');
    if (identity === undefined || !sameSecret(flow.secret, token ?? form.get('code') ?? ''))
      return show(200, newPasswordPage(deployment, flow.id, token, 'The code is not the one that was given out.'));
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
      if (id === null) return show(200, askAddressPage(deployment, loginUrl));
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
const show = (status, { headers, body }) => html(status, body, headers);
function sameSecret(expected, given) {
  const [left, right] = [Buffer.from(expected ?? ''), Buffer.from(given)];
  return left.length > 0 && left.length === right.length && timingSafeEqual(left, right);
}
