import { randomBytes, randomInt, randomUUID } from 'node:crypto';
import { decodeJson, formatDuration, isObject, isUuid, NIL_UUID, parseDuration, uuidProblem } from '../go.ts';
import { type Call, json, type Route, route } from '../http.ts';
import type { SandboxDatabase } from '../sandbox-database.ts';
import type { Courier } from './courier.ts';
import type { IdentityStore } from './identity-store.ts';
import { normalised } from './identity-store.ts';
import { malformed, notFound, requiredBody } from './validation.ts';

export interface Flow {
  id: string;
  kind: 'login' | 'recovery' | 'verification';
  /** Milliseconds since the epoch. */
  issuedAt: number;
  expiresAt: number;
  /** Whose account the secret unlocks; absent until a known address has requested one. */
  identityId?: string;
  /** Six digits, mailed or displayed, or a token in a link. */
  secret?: string;
}

export interface FlowStore {
  begin(flow: Omit<Flow, 'id' | 'issuedAt'>): Flow;
  /** Undefined if it is unknown, of another kind, or expired. */
  find(id: string, kind: Flow['kind']): Flow | undefined;
  replace(flow: Flow): void;
  end(id: string): void;
}

/** @param now milliseconds since the epoch */
export function flowStore(database: SandboxDatabase, now: () => number): FlowStore {
  const byId = database.prepare<[string, number], { document: string }>(
    'SELECT document FROM flows WHERE id = ? AND expires_at > ?',
  );
  const write = database.prepare('INSERT OR REPLACE INTO flows (id, expires_at, document) VALUES (?, ?, ?)');
  const remove = database.prepare('DELETE FROM flows WHERE id = ? OR expires_at <= ?');
  const replace = (flow: Flow) => write.run(flow.id, flow.expiresAt, JSON.stringify(flow));
  return {
    begin: (options) => {
      const flow: Flow = { id: randomUUID(), issuedAt: now(), ...options };
      replace(flow);
      return flow;
    },
    find: (id, kind) => {
      const row = byId.get(id, now());
      const flow = row && (JSON.parse(row.document) as Flow);
      return flow?.kind === kind ? flow : undefined;
    },
    replace,
    end: (id) => {
      remove.run(id, now());
    },
  };
}

export const FLOW_LIFESPAN_MS = 3_600_000;

interface FlowText {
  id: number;
  text: string;
  type: 'info' | 'error';
  context?: Record<string, unknown>;
}

export interface FlowNode {
  type: 'input';
  group: string;
  attributes: Record<string, unknown>;
  messages: FlowText[];
  meta: { label?: FlowText };
}

export interface FlowView {
  /** Base URL of the public port, without trailing slash. */
  publicUrl: string;
  nodes: FlowNode[];
  state: string;
  messages?: FlowText[];
  /** Members specific to this kind of flow. */
  extra?: Record<string, unknown>;
}

export const textInfo = (id: number, text: string): FlowText => ({ id, text, type: 'info' });
export const textError = (id: number, text: string, context?: Record<string, unknown>): FlowText => ({
  id,
  text,
  type: 'error',
  context,
});

export const inputNode = (
  group: string,
  attributes: Record<string, unknown>,
  label?: FlowText,
  messages: FlowText[] = [],
): FlowNode => ({
  type: 'input',
  group,
  attributes: { ...attributes, disabled: false, node_type: 'input' },
  messages,
  meta: label === undefined ? {} : { label },
});

export const csrfNode = (): FlowNode =>
  inputNode('default', { name: 'csrf_token', type: 'hidden', value: '', required: true });

export function flowAnswer(
  flow: Flow,
  { publicUrl, nodes, state, messages, extra }: FlowView,
): Record<string, unknown> {
  const issued = new Date(flow.issuedAt).toISOString();
  return {
    id: flow.id,
    type: 'api',
    expires_at: new Date(flow.expiresAt).toISOString(),
    issued_at: issued,
    request_url: `${publicUrl}/self-service/${flow.kind}/api`,
    ui: { action: `${publicUrl}/self-service/${flow.kind}?flow=${flow.id}`, method: 'POST', nodes, messages },
    ...extra,
    state,
  };
}

/** The flow named in a submission. @throws IdentityServiceError 400 if none is named, 404 if it does not exist */
export function submittedFlow({ query }: Call, flows: FlowStore, kind: Flow['kind']): Flow {
  const id = query.get('flow');
  if (!id) throw malformed('The flow query parameter is missing or malformed.');
  const flow = flows.find(id, kind);
  if (flow === undefined) throw notFound();
  return flow;
}

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

export interface RecoveryRoutesOptions {
  flows: FlowStore;
  identities: IdentityStore;
  publicUrl: string;
  /** Base URL of the pages where codes and links work; also the only address a recovery may return to. */
  pagesUrl: string;
  now: () => number;
}

/** `POST /admin/recovery/code` and `/admin/recovery/link`: recovery by an operator; no mail is sent. */
export function recoveryRoutes({ flows, identities, publicUrl, pagesUrl, now }: RecoveryRoutesOptions): Route[] {
  const begin = (identityId: string, lifespan: number, secret: string): Flow =>
    flows.begin({ kind: 'recovery', expiresAt: now() + lifespan, identityId, secret });
  const expiry = (flow: Flow) => new Date(flow.expiresAt).toISOString();
  return [
    route('POST', '/admin/recovery/code', (call) => {
      const body = requiredBody(call);
      const identityId = identityIdOf(body);
      const lifespan = lifespanOf(
        body,
        (given) => `Value from "expires_in" must result to a future time: ${formatDuration(given)}`,
      );
      const { flow_type } = body;
      if (flow_type !== undefined && flow_type !== '' && flow_type !== 'api' && flow_type !== 'browser')
        throw malformed(`Value from "flow_type" is not valid: ${JSON.stringify(flow_type)}`);
      checkReturn(call, pagesUrl);
      if (identities.find(identityId) === undefined) throw notFound('could not find identity');
      const code = newCode();
      const flow = begin(identityId, lifespan, code);
      return json(201, {
        recovery_link: `${pagesUrl}/recovery?flow=${flow.id}`,
        recovery_code: code,
        expires_at: expiry(flow),
      });
    }),
    route('POST', '/admin/recovery/link', (call) => {
      const body = requiredBody(call);
      const identityId = identityIdOf(body);
      const lifespan = lifespanOf(
        body,
        (_, text) => `Value from "expires_in" must be result to a future time: ${text}`,
      );
      checkReturn(call, pagesUrl);
      if (identities.find(identityId) === undefined) throw malformed('The requested identity id does not exist.');
      const token = randomBytes(24).toString('base64url');
      const flow = begin(identityId, lifespan, token);
      const recovery_link = `${publicUrl}/self-service/recovery?flow=${flow.id}&token=${token}`;
      return json(200, { recovery_link, expires_at: expiry(flow) });
    }),
  ];
}

/** Without an id in the body, Kratos looks for the nil UUID, which belongs to nobody. */
function identityIdOf({ identity_id = NIL_UUID }: Record<string, unknown>): string {
  const id = String(identity_id);
  if (!isUuid(id)) throw malformed(`Unable to decode JSON payload: ${uuidProblem(id)}`);
  return id.toLowerCase();
}

function lifespanOf({ expires_in }: Record<string, unknown>, past: (given: number, text: string) => string): number {
  if (expires_in === undefined || expires_in === '') return FLOW_LIFESPAN_MS;
  const text = String(expires_in);
  const given = parseDuration(text);
  if (given === undefined)
    throw malformed(
      `Unable to parse "expires_in" whose format should match "[0-9]+(ns|us|ms|s|m|h)" but did not: ${text}`,
    );
  if (given <= 0) throw malformed(past(given, text));
  return given;
}

function checkReturn({ query }: Call, pagesUrl: string): void {
  const target = query.get('return_to');
  if (target && !target.startsWith(`${pagesUrl}/`))
    throw malformed(
      `Requested return_to URL "${target}" is not allowed.`,
      undefined,
      'self_service_flow_return_to_forbidden',
    );
}
