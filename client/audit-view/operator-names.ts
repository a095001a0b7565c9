import type { AuditRecord } from '../../shared/audit.ts';
import { isUuid } from '../../shared/json.ts';
import type { NamedSubject, OperatorName } from '../../shared/security.ts';
import { useOperatorNames } from '../api/operator-names.ts';
import { useOperator } from '../api/session.ts';
import { useSubjectNames } from '../api/subject-names.ts';
import { visibleText } from '../format/visible-text.ts';
import { type NameOf, shortId } from './record-sentence.ts';

type Named = Pick<AuditRecord, 'action' | 'actor' | 'target' | 'subject'>;

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

/** The people and clients that these records are about; operators have names of their own. */
export const subjectsIn = (records: readonly Named[]): NamedSubject[] =>
  records
    .filter(({ action }) => action !== 'session_revoke')
    .map(({ subject }) => subject)
    .filter((subject): subject is NamedSubject => /^(?:identity|client):/.test(subject ?? ''));

/** Names of the operators, people and clients in these records. */
export function useNameOf(records: readonly Named[]): NameOf {
  const operators = useOperatorNames(operatorsIn(records, useOperator().identityId));
  const subjects = useSubjectNames(subjectsIn(records));
  return ({ kind, id }) => {
    if (kind === 'operator') return formatOperator(operators.get(id.toLowerCase()));
    const name = subjects.get(`${kind}:${id}`);
    return name === undefined ? undefined : visibleText(name);
  };
}
