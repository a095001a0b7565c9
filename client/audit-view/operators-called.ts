import type { AuditRecord } from '../../shared/audit.ts';
import type { OperatorName } from '../../shared/security.ts';
import { isUuid } from '../../shared/uuid.ts';
import { useOperatorNames } from '../api/operator-names.ts';
import { useOperator } from '../api/session.ts';
import { visibleText } from '../format/visible-text.ts';
import { type Called, shortId } from './record-sentence.ts';

type Named = Pick<AuditRecord, 'action' | 'actor' | 'target'>;

/** Those whom records name as operators. @param self is called "You" where they act */
export const operatorsIn = (records: readonly Named[], self: string): string[] =>
  records
    .flatMap(({ action, actor, target }) => [
      actor === self ? '' : actor,
      action === 'session_revoke' ? (target ?? '') : '',
    ])
    .filter(isUuid);

/** An address is one person's; a name alone may be anybody's, even "The service", and so has the id's beginning beside it. */
export function formatOperator(operator: OperatorName | undefined): string | undefined {
  const { identity_id, name, email } = operator ?? {};
  if (email != null) return visibleText(email);
  return name == null ? undefined : `${visibleText(name)} (${shortId(identity_id ?? '')})`;
}

/** For the operators in these records, by one question. */
export function useOperatorsCalled(records: readonly Named[]): Called {
  const names = useOperatorNames(operatorsIn(records, useOperator().identityId));
  return (id) => formatOperator(names.get(id.toLowerCase()));
}
