import type { Flow } from './flow-store.ts';

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
