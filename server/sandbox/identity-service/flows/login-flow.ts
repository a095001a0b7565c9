import { decodeJson, isObject } from '../../go/json.ts';
import { type Answer, json } from '../../http/answer.ts';
import type { Call } from '../../http/call.ts';
import { type Route, route } from '../../http/router.ts';
import { IdentityServiceError } from '../identities/identity-errors.ts';
import { deviceOf } from '../sessions/client-device.ts';
import { sessionAnswer } from '../sessions/session-answer.ts';
import { csrfNode, type FlowNode, flowAnswer, inputNode, textError, textInfo } from './flow-answer.ts';
import { FLOW_LIFESPAN_MS, type Flow, type FlowStore } from './flow-store.ts';
import type { PasswordSignIn } from './password-sign-in.ts';
import { submittedFlow } from './submitted-flow.ts';

export interface LoginFlowOptions {
  flows: FlowStore;
  signIn: PasswordSignIn;
  publicUrl: string;
  now: () => number;
}

/** The native login flow: its creation, and its submission with identifier and password. */
export function loginFlowRoutes({ flows, signIn, publicUrl, now }: LoginFlowOptions): Route[] {
  const answer = (status: number, flow: Flow, nodes: FlowNode[], messages?: ReturnType<typeof textError>[]): Answer => {
    const issued = new Date(flow.issuedAt).toISOString();
    const extra = {
      organization_id: null,
      created_at: issued,
      updated_at: issued,
      refresh: false,
      requested_aal: 'aal1',
    };
    return json(status, flowAnswer(flow, { publicUrl, nodes, messages, extra, state: 'choose_method' }));
  };
  return [
    route('GET', '/self-service/login/api', () =>
      answer(200, flows.begin({ kind: 'login', expiresAt: now() + FLOW_LIFESPAN_MS }), nodesOf('')),
    ),
    route('POST', '/self-service/login', async (call) => {
      const flow = submittedFlow(call, flows, 'login');
      const { identifier, password } = fieldsOf(call);
      if (identifier === '' || password === '') return answer(400, flow, nodesOf(identifier, { identifier, password }));
      const result = await signIn({ identifier, password, device: deviceOf(call) });
      switch (result.outcome) {
        case 'wrong':
          return answer(400, flow, nodesOf(identifier), [textError(4000006, WRONG)]);
        case 'inactive':
          throw disabled(result.identity.id);
        case 'signed-in': {
          flows.end(flow.id);
          const { token, document } = result.session;
          const session = sessionAnswer(document, { identity: result.identity, publicUrl, devices: 'shown' }, now());
          return json(200, { session_token: token, session, continue_with: null });
        }
      }
    }),
  ];
}

const WRONG =
  'The provided credentials are invalid, check for spelling mistakes in your password or username, email address, or phone number.';

const disabled = (identityId: string) =>
  new IdentityServiceError(401, {
    code: 401,
    status: 'Unauthorized',
    reason: 'This account was disabled.',
    details: { identity_id: identityId },
    message: 'identity is disabled',
  });

function fieldsOf({ body }: Call): { identifier: string; password: string } {
  const fields = decodeJson(body || '{}');
  const { identifier, password } = isObject(fields) ? fields : {};
  return {
    identifier: typeof identifier === 'string' ? identifier : '',
    password: typeof password === 'string' ? password : '',
  };
}

/** @param sent the submitted values; given only if missing ones are to be reported */
function nodesOf(identifier: string, sent?: { identifier: string; password: string }): FlowNode[] {
  const missing = (property: 'identifier' | 'password') =>
    sent?.[property] === '' ? [textError(4000002, `Property ${property} is missing.`, { property })] : [];
  return [
    csrfNode(),
    inputNode(
      'default',
      { name: 'identifier', type: 'text', value: identifier, required: true },
      textInfo(1070004, 'ID'),
      missing('identifier'),
    ),
    inputNode(
      'password',
      { name: 'password', type: 'password', required: true, autocomplete: 'current-password' },
      textInfo(1070001, 'Password'),
      missing('password'),
    ),
    inputNode(
      'password',
      { name: 'method', type: 'submit', value: 'password' },
      textInfo(1010022, 'Sign in with password'),
    ),
  ];
}
