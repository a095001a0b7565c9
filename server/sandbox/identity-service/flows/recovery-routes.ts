import { randomBytes } from 'node:crypto';
import { formatDuration, parseDuration } from '../../go/duration.ts';
import { isUuid, NIL_UUID, uuidProblem } from '../../go/uuid.ts';
import { json } from '../../http/answer.ts';
import type { Call } from '../../http/call.ts';
import { type Route, route } from '../../http/router.ts';
import { malformed, notFound } from '../identities/identity-errors.ts';
import type { IdentityStore } from '../identities/identity-store.ts';
import { requiredBody } from '../identities/request-body.ts';
import { FLOW_LIFESPAN_MS, type Flow, type FlowStore } from './flow-store.ts';
import { newCode } from './mail-flows.ts';

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
