export const textInfo = (id, text) => ({ id, text, type: 'info' });
export const textError = (id, text, context) => ({
  id,
  text,
  type: 'error',
  context,
});
export const inputNode = (group, attributes, label, messages = []) => ({
  type: 'input',
  group,
  attributes: { ...attributes, disabled: false, node_type: 'input' },
  messages,
  meta: label === undefined ? {} : { label },
});
export const csrfNode = () => inputNode('default', { name: 'csrf_token', type: 'hidden', value: '', required: true });
/** A native flow as the identity service answers it. */
export function flowAnswer(flow, { publicUrl, nodes, state, messages, extra }) {
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
