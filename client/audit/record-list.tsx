import { Anchor } from '@mantine/core';
import { Link, useRouter } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import type { AuditRecord } from '../../shared/audit.ts';
import type { Capability } from '../../shared/capabilities.ts';
import { isUuid } from '../../shared/json.ts';
import type { NamedSubject, OperatorName } from '../../shared/security.ts';
import { useOperatorNames, useSubjectNames } from '../api/names.ts';
import { useCan, useOperator } from '../api/session.ts';
import { visibleText } from '../lib/visible-text.ts';
import { exactTime, FactList, RelativeTime } from '../ui/facts.tsx';
import { foldRecords, foldSentence, type RecordFold } from './fold-records.ts';
import { changedMembers, mayBeMore, memberWords } from './proxied-act.ts';
import classes from './record-list.module.css';
import { type NamedThing, type NameOf, shortId } from './record-sentence.ts';

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

interface Place {
  to: string;
  needs: Capability;
  params?: Record<string, string>;
  search?: Record<string, string>;
}

/** The page of a named thing. An operator's is the list of their actions: their identity may be in another store. */
function placeOf({ kind, id }: NamedThing): Place {
  switch (kind) {
    case 'identity':
      return { to: '/identities/$id', needs: 'upstreams.read', params: { id } };
    case 'setting':
      return { to: '/settings', needs: 'settings.read', search: { key: id } };
    case 'client':
      return { to: '/oauth/clients/$id', needs: 'upstreams.read', params: { id } };
    case 'session':
      return { to: '/security/audit', needs: 'audit.read', search: { subject: `session:${id}` } };
    case 'operator':
      return { to: '/security/audit', needs: 'audit.read', search: { actor: id } };
  }
}

/** Its name, linked to its page in this app if it has one that the operator may open. */
export function NamedLink({ thing, children }: { thing: NamedThing; children: ReactNode }) {
  const { routesByPath } = useRouter();
  const may = useCan();
  const { to, needs, params, search } = placeOf(thing);
  if (!(to in routesByPath && may(needs))) return <span title={thing.id}>{children}</span>;
  return (
    // Search parameters cannot be typed when the path is only known as a string.
    <Anchor
      component={Link}
      inherit
      underline="always"
      title={thing.id}
      to={to}
      params={params as never}
      search={search as never}
      preload={false}
    >
      {children}
    </Anchor>
  );
}

/**
 * The sentences of these records, of one or of several as one, with links to what they name; the names are asked for in
 * one request.
 */
export function useSentences(records: readonly AuditRecord[]): (...fold: readonly AuditRecord[]) => ReactNode {
  const { identityId } = useOperator();
  const nameOf = useNameOf(records);
  return (...fold) =>
    foldSentence(fold, identityId, nameOf).map(({ text, names }, index) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a sentence never change places
      <span key={index}>{names === undefined ? text : <NamedPart text={text} names={names} />}</span>
    ));
}

/** Keeps the space before a name out of the link. */
function NamedPart({ text, names }: { text: string; names: NamedThing }) {
  const name = text.trimStart();
  return (
    <>
      {text.slice(0, text.length - name.length)}
      <NamedLink thing={names}>{name}</NamedLink>
    </>
  );
}

type Told = Pick<AuditRecord, 'action' | 'target' | 'details'>;

/** What a record says beyond its sentence, in short phrases. Never a value: the trail holds none. */
export function recordDetails({ action, details }: Told): string[] {
  const phrases: string[] = [];
  if (action === 'setting_write') {
    if (typeof details.encrypted === 'boolean')
      phrases.push(details.encrypted ? 'stored encrypted' : 'stored in plain text');
    if (typeof details.category === 'string') phrases.push(`category ${details.category}`);
    else if (details.category === null) phrases.push('no category');
  }
  if (typeof details.from === 'string' && typeof details.to === 'string')
    phrases.push(`between ${exactTime(details.from)} and ${exactTime(details.to)}`);
  return phrases;
}

/** The record as it was made, by the names of its parts: ids, and of a proxied write the request and its members. */
export function recordFacts(record: AuditRecord): [name: string, value: string][] {
  const { sequence, timestamp, actor, target, subject, action, details } = record;
  const facts: [string, string][] = [
    ['Record', String(sequence)],
    ['Time', timestamp],
    ['Who', actor],
  ];
  if (subject !== null) facts.push(['About', subject]);
  if (action !== 'proxy_write') return facts;
  const pointers = changedMembers(record);
  if (pointers.length > 0)
    facts.push(['Changed', `${memberWords(pointers).join(', ')}${mayBeMore(pointers) ? ', possibly more' : ''}`]);
  facts.push(['Request', requestOf({ target, details })]);
  if (typeof details.status === 'number') facts.push(['Status', String(details.status)]);
  if (typeof details.peer === 'string') facts.push(['From', details.peer]);
  return facts;
}

/** `PATCH /api/identity-admin/admin/identities/…`; empty for what was not sent through a proxy. */
export const requestOf = ({ target, details }: Pick<AuditRecord, 'target' | 'details'>): string =>
  typeof details.method === 'string' ? `${details.method} ${target ?? ''}`.trim() : '';

/**
 * Records as sentences with links; ids, requests and members open on demand.
 * @param folded whether what one act made is one row, which can be opened
 * @param action what can be done about a record, beside its time
 */
export function RecordList(props: {
  label: string;
  records: readonly AuditRecord[];
  busy?: boolean;
  folded?: boolean;
  action?: ((record: AuditRecord) => ReactNode) | undefined;
}) {
  const { records, folded = false, action } = props;
  const sentenceOf = useSentences(records);
  const rows: readonly RecordFold[] = folded ? foldRecords(records) : records.map((record) => [record]);
  const one = (record: AuditRecord): ReactNode => (
    <Row key={record.sequence} of={[record]} sentence={sentenceOf(record)} action={action?.(record)}>
      <Opened
        summary={[exactTime(record.timestamp), ...recordDetails(record), `record ${record.sequence}`]}
        content={() => <FactList facts={recordFacts(record)} />}
      />
    </Row>
  );
  return (
    <ol className={classes.list} aria-label={props.label} aria-busy={props.busy} data-busy={props.busy || undefined}>
      {rows.map((fold) =>
        fold.length === 1 ? (
          one(fold[0])
        ) : (
          <Row key={fold[0].sequence} of={fold} sentence={sentenceOf(...fold)}>
            <Opened
              summary={[exactTime(fold[0].timestamp), `${fold.length} records`]}
              content={() => <ol className={classes.list}>{fold.map(one)}</ol>}
            />
          </Row>
        ),
      )}
    </ol>
  );
}

const Row = (props: { of: RecordFold; sentence: ReactNode; action?: ReactNode; children: ReactNode }) => (
  <li className={classes.record}>
    <span className={classes.sentence}>{props.sentence}</span>
    <span className={classes.time}>
      {props.action}
      <RelativeTime at={props.of[0].timestamp} />
    </span>
    {props.children}
  </li>
);

function Opened({ summary, content }: { summary: readonly string[]; content: () => ReactNode }) {
  const [open, setOpen] = useState(false);
  return (
    <details className={classes.details} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{summary.join(' · ')}</summary>
      {open && content()}
    </details>
  );
}
