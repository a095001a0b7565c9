import { randomBytes, randomUUID } from 'node:crypto';
import { decodeJson, isObject } from '../go.ts';
import { type Answer, type Call, json, type Route, route } from '../http.ts';
import { verifyPassword } from '../passwords.ts';
import type { IdentityStore } from './identity-store.ts';
import { type IdentityDocument, normalised } from './identity-store.ts';
import {
  csrfNode,
  FLOW_LIFESPAN_MS,
  type Flow,
  type FlowNode,
  type FlowStore,
  flowAnswer,
  inputNode,
  submittedFlow,
  textError,
  textInfo,
} from './recovery-flow.ts';
import type { Device, SessionStore, StoredSession } from './session-store.ts';
import { deviceOf, sessionAnswer } from './session-store.ts';
import { IdentityServiceError } from './validation.ts';

export type SignInOutcome =
  | { outcome: 'wrong' }
  | { outcome: 'inactive'; identity: IdentityDocument }
  | { outcome: 'signed-in'; identity: IdentityDocument; session: StoredSession };

export interface SignInAttempt {
  identifier: string;
  password: string;
  device: Omit<Device, 'id'>;
}

export type PasswordSignIn = (attempt: SignInAttempt) => Promise<SignInOutcome>;

/** The lifetime of a session, and of an extended one from then on. */
export const SESSION_LIFESPAN_MS = 14 * 86_400_000;

/**
 * The only way to sign in, shared by the sign-in page and the native login flow. Creates a session.
 * @param now milliseconds since the epoch
 */
export const passwordSignIn =
  (identities: IdentityStore, sessions: SessionStore, now: () => number): PasswordSignIn =>
  async ({ identifier, password, device }) => {
    const identity = identities.findByIdentifier('password', normalised(identifier));
    const hash = identity?.credentials.password?.config.hashed_password;
    const right = await verifyPassword(password, typeof hash === 'string' ? hash : undefined);
    if (identity === undefined || !right) return { outcome: 'wrong' };
    if (identity.state !== 'active') return { outcome: 'inactive', identity };
    const at = new Date(now()).toISOString();
    const session: StoredSession = {
      identityId: identity.id,
      token: `ory_st_${randomBytes(24).toString('base64url')}`,
      document: {
        id: randomUUID(),
        active: true,
        expires_at: new Date(now() + SESSION_LIFESPAN_MS).toISOString(),
        authenticated_at: at,
        authenticator_assurance_level: 'aal1',
        authentication_methods: [{ method: 'password', aal: 'aal1', completed_at: at }],
        issued_at: at,
        devices: [{ id: randomUUID(), ...device }],
      },
    };
    sessions.insert(session);
    return { outcome: 'signed-in', identity, session };
  };

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
