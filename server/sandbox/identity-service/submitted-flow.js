import { malformed, notFound } from './identity-errors.js';
/** The flow that a submission names. @throws IdentityServiceError 400 without one, 404 when there is none */
export function submittedFlow({ query }, flows, kind) {
  const id = query.get('flow');
  if (!id) throw malformed('The flow query parameter is missing or malformed.');
  const flow = flows.find(id, kind);
  if (flow === undefined) throw notFound();
  return flow;
}
