import type { RequestHandler } from 'express';
import { attempt, isUuid, membersOf, text } from '../../../shared/json.ts';
import { subjectOf } from '../../audit/event.ts';
import { logByIndex } from '../../audit/search.ts';
import type { Context } from '../../context.ts';
import { bodyFields, textField } from '../../http/bodies.ts';
import { ApiError, badRequest } from '../../http/errors.ts';
import { sessionOf } from '../../session/session-verifier.ts';
import type { AdminClient } from '../../upstream/admin-client.ts';
import { failureOfStatus, routeError, UpstreamFailure } from '../../upstream/failure.ts';

const HOUR_MS = 3_600_000;
/** Within any hour. */
const MOST_FOR_A_PERSON = 3;
const MOST_BY_AN_OPERATOR = 30;

const NO_OPERATORS = new ApiError('forbidden', {
  message: 'This is the account of an operator: an administrator can create a recovery code instead.',
  hint: null,
});

/**
 * `POST /api/identities/:id/recovery`: has the identity service send its own link to one of the person's recovery
 * addresses. Nothing of it is in the response. An operator’s account is nobody’s to recover by mail, not even an
 * administrator's.
 */
export function recoveryHandler(context: Context): RequestHandler<Record<string, string>> {
  const { identities, publicIdentities, refuseOperators } = context;
  const record = recordRecovery({ ...context, ...context.clock });
  return async (req, res) => {
    const addressId = parseAddressId(req.body);
    const { identityId: actor } = sessionOf(res);
    try {
      const person = await identities.identity(req.params['id'] ?? '');
      if (person === undefined) throw new ApiError('not_found');
      if (!person.active) throw new ApiError('inactive');
      const address = person.recoveryAddresses.find(({ id }) => text(id).toLowerCase() === addressId);
      if (address === undefined) throw new ApiError('not_found', { message: 'There is no such recovery address.' });
      const email = text(address['value']);
      if (address['via'] !== 'email' || email === '')
        throw badRequest('recovery_address_id', 'must be that of an e-mail address');
      const flow = await newFlow(publicIdentities);
      await refuseOperators({ identity: person.id }, actor, NO_OPERATORS);
      await record(person.id, addressId, actor);
      await sendLink(publicIdentities, flow, email);
    } catch (error) {
      throw routeError(error);
    }
    res.status(202).json({});
  };
}

/** In lower case. @throws 400 that names the field */
function parseAddressId(body: unknown): string {
  const id = textField('recovery_address_id', bodyFields(body, ['recovery_address_id']).recovery_address_id);
  if (!isUuid(id)) throw badRequest('recovery_address_id', 'must be the id of a recovery address');
  return id.toLowerCase();
}

/**
 * Records that a recovery starts. The records of the last hour are counted under the lock of the trail, so that the
 * limits are exact on all replicas and after a restart.
 * @throws ApiError 429, without a record; DatabaseUnavailable
 */
export const recordRecovery =
  ({ database, audit, now }: Pick<Context, 'database' | 'audit'> & { now: () => number }) =>
  (person: string, addressId: string, actor: string): Promise<void> =>
    database.transaction(async (trx) => {
      const action = 'recovery_start';
      const event = { action, actor, target: person, details: { recovery_address_id: addressId } } as const;
      await audit.lock(trx);
      for (const [most, columns, by] of [
        [MOST_FOR_A_PERSON, ['subject', 'action'], { subject: subjectOf(event) ?? '' }],
        [MOST_BY_AN_OPERATOR, ['action', 'actor'], { actor }],
      ] as const) {
        const recent: { recorded_at: string }[] = await trx
          .fromRaw(logByIndex(database.client, columns))
          .where({ action, ...by })
          .where('recorded_at', '>', new Date(now() - HOUR_MS).toISOString())
          .orderBy('recorded_at', 'desc')
          .limit(most)
          .select('recorded_at');
        const oldest = recent[most - 1];
        if (oldest !== undefined) throw tooMany(most, Date.parse(oldest.recorded_at) + HOUR_MS - now());
      }
      await audit.record(event, trx);
    });

const tooMany = (most: number, waitMs: number): ApiError =>
  new ApiError('too_many_requests', {
    message: `${most === MOST_FOR_A_PERSON ? 'For one person' : 'By one operator'}, recovery is started at most ${most} times an hour. Try again later.`,
    headers: { 'Retry-After': String(Math.max(1, Math.ceil(waitMs / 1000))) },
  });

/** Begins a recovery flow for API clients. @returns its id */
async function newFlow(api: AdminClient): Promise<string> {
  const response = await api.send('/self-service/recovery/api');
  // To its page of errors.
  if (response.status >= 300 && response.status < 400) throw switchedOff('selfservice.flows.recovery.enabled');
  if (response.status !== 200) throw failureOfStatus(response);
  const id = text(membersOf(attempt(() => JSON.parse(response.text)))['id']);
  if (!isUuid(id)) throw new UpstreamFailure('nonsense');
  return id;
}

/** Whoever has no account with this address is sent nothing, with the same response. */
async function sendLink(api: AdminClient, flow: string, email: string): Promise<void> {
  const response = await api.send(`/self-service/recovery?flow=${flow}`, {}, 'POST', { method: 'link', email });
  const { state } = membersOf(attempt(() => JSON.parse(response.text)));
  if (response.status === 200 && state === 'sent_email') return;
  // A flow that goes on: the method is not responsible.
  if (response.status === 400 || state !== undefined) throw switchedOff('selfservice.methods.link.enabled');
  throw response.status === 200 ? new UpstreamFailure('nonsense') : failureOfStatus(response);
}

const switchedOff = (setting: string): ApiError =>
  new ApiError('upstream_error', {
    message: `The identity service did not send the message. Check that ${setting} is true in its configuration.`,
  });
