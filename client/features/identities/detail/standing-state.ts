import type { AuditRecord } from '../../../../shared/audit.ts';
import type { Identity } from '../../../api/identities-record.ts';

/**
 * The record of the change that gave an identity its state, if that state still stands; undefined also where an older
 * change made it what it is.
 * @param records about the identity, the newest first
 */
export function standingState(
  { id, state }: Pick<Identity, 'id' | 'state'>,
  records: readonly AuditRecord[],
): AuditRecord | undefined {
  const last = records.find(
    ({ action, subject, details: { method, status, state: set } }) =>
      action === 'proxy_write' &&
      subject === `identity:${id}` &&
      (method === 'PATCH' || method === 'PUT') &&
      (set === 'active' || set === 'inactive') &&
      typeof status === 'number' &&
      status < 300,
  );
  return last?.details.state === state ? last : undefined;
}
