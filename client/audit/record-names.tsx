import { Anchor } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Capability } from '../../shared/capabilities.ts';
import { isOperatorId, type NamedSubject, type OperatorName } from '../../shared/security.ts';
import { useOperatorNames, useSubjectNames } from '../api/names.ts';
import { useCan, useOperator } from '../api/session.ts';
import { hasPage } from '../deployment.ts';
import { visibleText } from '../lib/visible-text.ts';
import { PlainLink } from '../ui/layout.tsx';
import { type NamedThing, type NameOf, type RecordedAct, shortId } from './record-sentence.ts';

/** A name, linked to its page if the operator may open it. @param props.quiet for a cell that contains nothing else */
export function NamedLink(props: { thing: NamedThing; quiet?: true; tabIndex?: 0 | -1; children: ReactNode }) {
  const { thing, quiet, children } = props;
  const may = useCan();
  const [to, needs, searchFor] = PAGES[thing.kind];
  if (!may(needs) || !hasPage(to)) return <span title={thing.id}>{children}</span>;
  return (
    // The types of parameters are unknown, since the path is a plain string.
    <Anchor
      component={PlainLink}
      inherit
      underline={quiet ? 'hover' : 'always'}
      c={quiet && 'inherit'}
      title={thing.id}
      tabIndex={props.tabIndex}
      to={to}
      params={{ id: thing.id } as never}
      search={searchFor(thing.id) as never}
    >
      {children}
    </Anchor>
  );
}

type Search = Record<string, string>;

/** The page of a named thing. For an operator, their audit records: the identity may be in another store. */
const PAGES: Record<NamedThing['kind'], readonly [to: string, needs: Capability, search: (id: string) => Search]> = {
  identity: ['/identities/$id', 'identities.read', () => ({})],
  setting: ['/settings', 'settings.read', (key) => ({ key })],
  client: ['/oauth/clients/$id', 'clients.read', () => ({})],
  session: ['/security/audit', 'audit.read', (id) => ({ subject: `session:${id}` })],
  operator: ['/security/audit', 'audit.read', (actor) => ({ actor })],
};

export function useNameOf(records: readonly Omit<RecordedAct, 'details'>[]): NameOf {
  const operators = useOperatorNames(operatorsIn(records, useOperator().identityId));
  const subjects = useSubjectNames(subjectsIn(records));
  return ({ kind, id }) => {
    if (kind === 'operator') return formatOperator(operators.get(id.toLowerCase()));
    const name = subjects.get(`${kind}:${id}`);
    return name === undefined ? undefined : visibleText(name);
  };
}

/** Ids of the operators in these records. @param self is shown as "You", so needs no name */
export const operatorsIn = (records: readonly Omit<RecordedAct, 'details'>[], self: string): string[] =>
  records
    .flatMap(({ action, actor, target }) => [
      actor === self ? '' : actor,
      action === 'session_revoke' ? (target ?? '') : '',
    ])
    .filter(isOperatorId);

/** Identities and clients in these records; `useOperatorNames` covers operators. */
export const subjectsIn = (records: readonly Omit<RecordedAct, 'details'>[]): NamedSubject[] =>
  records
    .filter(({ action }) => action !== 'session_revoke')
    .map(({ subject }) => subject)
    .filter((subject): subject is NamedSubject => /^(?:identity|client):/.test(subject ?? ''));

/** An operator's e-mail address; otherwise the name with a short id, since a name can be any text. */
export function formatOperator(operator: OperatorName | undefined): string | undefined {
  const { identity_id, name, email } = operator ?? {};
  if (email != null) return visibleText(email);
  return name == null ? undefined : `${visibleText(name)} (${shortId(identity_id ?? '')})`;
}
