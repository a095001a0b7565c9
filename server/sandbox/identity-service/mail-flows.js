import { randomInt } from 'node:crypto';
import { decodeJson, isObject } from '../go/json.js';
import { json } from '../http/answer.js';
import { route } from '../http/router.js';
import { csrfNode, flowAnswer, inputNode, textInfo } from './flow-answer.js';
import { FLOW_LIFESPAN_MS } from './flow-store.js';
import { normalised } from './identity-document.js';
import { submittedFlow } from './submitted-flow.js';
export const mailCode = (flows, identities, courier) => (flow, kind, address) => {
  const value = normalised(address);
  const identity = identities.findByIdentifier(kind === 'recovery' ? 'recovery-email' : 'verifiable-email', value);
  if (identity === undefined) return;
  const secret = newCode();
  flows.replace({ ...flow, identityId: identity.id, secret });
  courier.queue(kind, value, secret);
};
export const newCode = () => String(randomInt(1_000_000)).padStart(6, '0');
/** The native flows that mail a code: `recovery` and `verification`. */
export function mailFlowRoutes({ flows, identities, courier, publicUrl, now }) {
  const send = mailCode(flows, identities, courier);
  return ['recovery', 'verification'].flatMap((kind) => {
    const view = (state) => ({ publicUrl, nodes: NODES, state, extra: { active: 'code' } });
    return [
      route('GET', `/self-service/${kind}/api`, () =>
        json(200, flowAnswer(flows.begin({ kind, expiresAt: now() + FLOW_LIFESPAN_MS }), view('choose_method'))),
      ),
      route('POST', `/self-service/${kind}`, (call) => {
        const flow = submittedFlow(call, flows, kind);
        const fields = decodeJson(call.body || '{}');
        const email = isObject(fields) ? fields.email : undefined;
        if (typeof email === 'string') send(flow, kind, email);
        return json(200, flowAnswer(flow, view('sent_email')));
      }),
    ];
  });
}
const NODES = [
  csrfNode(),
  inputNode('code', { name: 'email', type: 'email', required: true }, textInfo(1070007, 'Email')),
  inputNode('code', { name: 'method', type: 'submit', value: 'code' }, textInfo(1070009, 'Continue')),
];
