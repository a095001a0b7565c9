import type { RequestHandler } from 'express';
import { attempt, isUuid, membersOf, text } from '../../../shared/json.ts';
import { subjectOf, withReason } from '../../audit/event.ts';
import { byIndex } from '../../audit/search.ts';
import type { AuditTrail } from '../../audit/trail.ts';
import type { Context } from '../../context.ts';
import type { Database } from '../../db/database.ts';
import { bodyFields, textField } from '../../http/bodies.ts';
import { ApiError, badRequest } from '../../http/errors.ts';
import { reasonOf } from '../../http/parameters.ts';
import { sessionOf } from '../../session/session-verifier.ts';
import type { AdminClient } from '../../upstream/admin-client.ts';
import { failureOfStatus, routeError, UpstreamFailure } from '../../upstream/failure.ts';

const HOUR_MS = 3_600_000;

const NO_OPERATORS = new ApiError('forbidden', {
  message: 'This is the account of an operator: an administrator can create a recovery code instead.',
  hint: null,
});
const NOT_SENT = new ApiError('upstream_error', {
  message:
    'No message was sent. Check selfservice.flows.recovery.enabled and selfservice.methods.link.enabled in Kratos.',
});

/**
 * `POST /api/identities/:id/recovery`: has the identity service send its own link to one of the person's recovery
 * addresses. The response says nothing of it. Refuses operators' accounts, also to administrators.
 */
export function recoveryHandler(context: Context): RequestHandler<Record<string, string>> {
  const { identities, publicIdentities, refuseOperators } = context;
  const record = recordRecovery({ ...context, ...context.clock });
  return async (req, res) => {
    const { recovery_address_id } = bodyFields(req.body, ['recovery_address_id']);
    const addressId = textField('recovery_address_id', recovery_address_id).toLowerCase();
    if (!isUuid(addressId)) throw badRequest('recovery_address_id', 'must be a UUID');
    const { identityId: actor } = sessionOf(res);
    try {
      const person = await identities.identity(req.params['id'] ?? '');
      if (person === undefined) throw new ApiError('not_found');
      if (!person.active) throw new ApiError('inactive');
      const address = person.recoveryAddresses.find(({ id }) => text(id).toLowerCase() === addressId);
      if (address === undefined) throw new ApiError('not_found', { message: 'There is no such recovery address.' });
      if (address['via'] !== 'email') throw badRequest('recovery_address_id', 'must be of an e-mail address');
      const email = text(address['value']);
      const { id: flow } = await step(publicIdentities, '/self-service/recovery/api');
      if (!isUuid(text(flow))) throw new UpstreamFailure('nonsense');
      await refuseOperators({ identity: person.id }, actor, NO_OPERATORS);
      await record(person.id, addressId, actor, reasonOf(req));
      const sent = await step(publicIdentities, `/self-service/recovery?flow=${flow}`, { method: 'link', email });
      if (sent['state'] !== 'sent_email') throw NOT_SENT;
    } catch (error) {
      throw routeError(error);
    }
    res.status(202).json({});
  };
}

/**
 * Records that a recovery starts. The records of the last hour are counted under the lock of the trail, so that the
 * limits are exact on all replicas and after a restart.
 * @throws ApiError 429, without a record; DatabaseUnavailable
 */
export const recordRecovery =
  ({ database, audit, now }: { database: Database; audit: AuditTrail; now: () => number }) =>
  (person: string, addressId: string, actor: string, reason?: string): Promise<void> =>
    database.transaction(async (trx) => {
      const action = 'recovery_start';
      const details = withReason(reason, { recovery_address_id: addressId });
      const event = { action, actor, target: person, ...details } as const;
      await audit.lock(trx);
      for (const [most, whose, index, by] of [
        [3, 'The recovery of one person', 'audit_log_subject_action_at', { subject: subjectOf(event) ?? '' }],
        [30, 'Recoveries by one operator', 'audit_log_action_actor_at', { actor }],
      ] as const) {
        const recent: { recorded_at: string }[] = await trx
          .fromRaw(`audit_log ${byIndex(database.client, index)}`)
          .where({ action, ...by })
          .where('recorded_at', '>', new Date(now() - HOUR_MS).toISOString())
          .orderBy('recorded_at', 'desc')
          .limit(most)
          .select('recorded_at');
        const oldest = recent[most - 1];
        if (oldest === undefined) continue;
        const seconds = Math.ceil((Date.parse(oldest.recorded_at) + HOUR_MS - now()) / 1000);
        const message = `${whose} can be started ${most} times an hour. Try again later.`;
        throw new ApiError('too_many_requests', { message, headers: { 'Retry-After': String(Math.max(1, seconds)) } });
      }
      await audit.record(event, trx);
    });

/** A step of Kratos' flow for API clients. @throws ApiError if its configuration prevents the step */
async function step(api: AdminClient, path: string, body?: object) {
  const response = await api.send(path, {}, body && 'POST', body);
  // A redirect to its page of errors, or the form again.
  if (response.status >= 300 && response.status <= 400) throw NOT_SENT;
  if (response.status !== 200) throw failureOfStatus(response);
  return membersOf(attempt(() => JSON.parse(response.text)));
}
