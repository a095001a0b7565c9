import type { AuditRecord } from '../../shared/audit.ts';
import type { OperatorName } from '../../shared/security.ts';
import { isUuid } from '../../shared/uuid.ts';
import { useOperatorNames } from '../api/operator-names.ts';
import { useOperator } from '../api/session.ts';
import { visibleText } from '../format/visible-text.ts';
import { type NameOf, shortId } from './record-sentence.ts';

type Named = Pick<AuditRecord, 'action' | 'actor' | 'target'>;

/** Ids of the operators in these records. @param self acts as "You" */
export const operatorsIn = (records: readonly Named[], self: string): string[] =>
  records
    .flatMap(({ action, actor, target }) => [
      actor === self ? '' : actor,
      action === 'session_revoke' ? (target ?? '') : '',
    ])
    .filter(isUuid);

/**
 * An e-mail address identifies a person. A display name can be anything, even "The service", so a short id follows it.
 */
export function formatOperator(operator: OperatorName | undefined): string | undefined {
  const { identity_id, name, email } = operator ?? {};
  if (email != null) return visibleText(email);
  return name == null ? undefined : `${visibleText(name)} (${shortId(identity_id ?? '')})`;
}

/** Names of the operators in these records, in one request. */
export function useNameOf(records: readonly Named[]): NameOf {
  const names = useOperatorNames(operatorsIn(records, useOperator().identityId));
  return (id) => formatOperator(names.get(id.toLowerCase()));
}
