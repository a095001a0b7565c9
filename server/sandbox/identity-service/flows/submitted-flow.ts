import type { Call } from '../../http/call.ts';
import { malformed, notFound } from '../identities/identity-errors.ts';
import type { Flow, FlowStore } from './flow-store.ts';

/** The flow named in a submission. @throws IdentityServiceError 400 if none is named, 404 if it does not exist */
export function submittedFlow({ query }: Call, flows: FlowStore, kind: Flow['kind']): Flow {
  const id = query.get('flow');
  if (!id) throw malformed('The flow query parameter is missing or malformed.');
  const flow = flows.find(id, kind);
  if (flow === undefined) throw notFound();
  return flow;
}
