import { randomInt } from 'node:crypto';
import { decodeJson, isObject } from '../../go/json.ts';
import { json } from '../../http/answer.ts';
import { type Route, route } from '../../http/router.ts';
import type { Courier } from '../courier/courier.ts';
import { normalised } from '../identities/identity-document.ts';
import type { IdentityStore } from '../identities/identity-store.ts';
import { csrfNode, flowAnswer, inputNode, textInfo } from './flow-answer.ts';
import { FLOW_LIFESPAN_MS, type Flow, type FlowStore } from './flow-store.ts';
import { submittedFlow } from './submitted-flow.ts';

export interface MailFlowOptions {
  flows: FlowStore;
  identities: IdentityStore;
  courier: Courier;
  publicUrl: string;
  now: () => number;
}

type MailKind = 'recovery' | 'verification';

/**
 * Mails a code if the address belongs to an identity, and stores in the flow whose account the code unlocks. The status
 * of an address to be verified becomes `sent`.
 */
export type MailCode = (flow: Flow, kind: MailKind, address: string) => void;

export const mailCode =
  (flows: FlowStore, identities: IdentityStore, courier: Courier): MailCode =>
  (flow, kind, address) => {
    const value = normalised(address);
    const identity = identities.findByIdentifier(kind === 'recovery' ? 'recovery-email' : 'verifiable-email', value);
    if (identity === undefined) return;
    const secret = newCode();
    flows.replace({ ...flow, identityId: identity.id, secret });
    courier.queue(kind, value, secret);
    if (kind === 'recovery') return;
    const verifiable_addresses = identity.verifiable_addresses.map((given) =>
      given.value === value && !given.verified ? { ...given, status: 'sent' as const } : given,
    );
    identities.replace({ ...identity, verifiable_addresses });
  };

export const newCode = (): string => String(randomInt(1_000_000)).padStart(6, '0');

/** The native flows that mail a code: `recovery` and `verification`. */
export function mailFlowRoutes({ flows, identities, courier, publicUrl, now }: MailFlowOptions): Route[] {
  const send = mailCode(flows, identities, courier);
  return (['recovery', 'verification'] as const).flatMap((kind) => {
    const view = (state: string) => ({ publicUrl, nodes: NODES, state, extra: { active: 'code' } });
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
