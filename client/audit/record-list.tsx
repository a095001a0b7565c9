import { Anchor, Box, Button, Group, Paper, Stack, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link, useRouter } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import type { AuditRecord, AuditSubject } from '../../shared/audit.ts';
import type { Capability } from '../../shared/capabilities.ts';
import { isUuid } from '../../shared/json.ts';
import type { NamedSubject, OperatorName } from '../../shared/security.ts';
import { historyQuery } from '../api/audit.ts';
import { useOperatorNames, useSubjectNames } from '../api/names.ts';
import { useCan, useOperator } from '../api/session.ts';
import { visibleText } from '../lib/visible-text.ts';
import { exactTime, FactList, RelativeTime } from '../ui/facts.tsx';
import { FailurePanel } from '../ui/failure-panel.tsx';
import { LoadingRows } from '../ui/loading.tsx';
import { NoAccessPanel, StatePanel } from '../ui/state-panel.tsx';
import { foldRecords, foldSentence, type RecordFold } from './fold-records.ts';
import { changedMembers, mayBeMore, memberWords } from './proxied-act.ts';
import classes from './record-list.module.css';
import { type NamedThing, type NameOf, type RecordedAct, shortId } from './record-sentence.ts';

/**
 * Records as sentences with links; details open on demand.
 * @param folded whether the records of one action form one row, which expands
 */
export function RecordList(props: { label: string; records: readonly AuditRecord[]; busy: boolean; folded?: boolean }) {
  const { records, folded = false } = props;
  const sentenceOf = useSentences(records);
  const rows: readonly RecordFold[] = folded ? foldRecords(records) : records.map((record) => [record]);
  const one = (record: AuditRecord): ReactNode => (
    <Row
      key={record.sequence}
      sentence={sentenceOf(record)}
      at={record.timestamp}
      summary={[...recordDetails(record), `record ${record.sequence}`]}
      content={() => <FactList facts={recordFacts(record)} />}
    />
  );
  return (
    <Box
      component="ol"
      fz="sm"
      opacity={props.busy ? 0.6 : undefined}
      data-rows
      aria-label={props.label}
      aria-busy={props.busy}
    >
      {rows.map((fold) =>
        fold.length === 1 ? (
          one(fold[0])
        ) : (
          <Row
            key={fold[0].sequence}
            sentence={sentenceOf(...fold)}
            at={fold[0].timestamp}
            summary={[`${fold.length} records`]}
            content={() => (
              <ol className={classes.list} data-rows>
                {fold.map(one)}
              </ol>
            )}
          />
        ),
      )}
    </Box>
  );
}

function Row(props: { sentence: ReactNode; at: string; summary: readonly string[]; content: () => ReactNode }) {
  const [open, setOpen] = useState(false);
  return (
    <li className={classes.record}>
      <span>{props.sentence}</span>
      <Text span className={classes.time} size="xs" c="dimmed">
        <RelativeTime at={props.at} />
      </Text>
      <details className={classes.details} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary>{[exactTime(props.at), ...props.summary].join(' · ')}</summary>
        {open && props.content()}
      </details>
    </li>
  );
}

/**
 * A subject's audit records, newest first.
 * @param nothing explains an empty list
 */
export const SubjectHistory = (props: { subject: AuditSubject; nothing: string }) =>
  useCan()('audit.read') ? <ReadableHistory {...props} /> : <NoAccessPanel />;

function ReadableHistory({ subject, nothing }: { subject: AuditSubject; nothing: string }) {
  const { data, error, isFetching, hasNextPage, fetchNextPage, refetch } = useInfiniteQuery(historyQuery(subject));
  const records = data?.pages.flatMap(({ rows }) => rows);
  const retry = () => void (data === undefined ? refetch() : fetchNextPage());
  return (
    <Stack gap="sm">
      <Group justify="space-between" gap="xs">
        <Text size="sm" c="dimmed">
          The audit trail shows who did what and when. It never contains values.
        </Text>
        <TrailLink subject={subject} />
      </Group>
      {records === undefined ? (
        error === null && <LoadingRows label="Loading the history" rows={3} height={44} />
      ) : records.length === 0 ? (
        <StatePanel kind="no-data" title="Nothing recorded" text={nothing} />
      ) : (
        <Paper withBorder>
          <RecordList label="History, newest first" records={records} busy={isFetching} />
        </Paper>
      )}
      {error !== null && <FailurePanel error={error} onRetry={retry} />}
      {error === null && hasNextPage && (
        <Group>
          <Button variant="default" size="xs" loading={isFetching} onClick={() => void fetchNextPage()}>
            Show older records
          </Button>
        </Group>
      )}
    </Stack>
  );
}

/** Link to the audit records of a subject. */
export const TrailLink = ({ subject }: { subject: AuditSubject }) => (
  <Anchor component={Link} size="sm" to="/security/audit" search={{ subject } as never} preload={false}>
    Open in the audit trail
  </Anchor>
);

/** Details beyond the sentence, in short phrases. */
function recordDetails({ action, details }: AuditRecord): string[] {
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

/** The raw record: ids, and for a proxied write the request and the changed members. */
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

/** `PATCH /api/identity-admin/admin/identities/…`; empty for records without a proxied request. */
export const requestOf = ({ target, details }: Pick<AuditRecord, 'target' | 'details'>): string =>
  typeof details.method === 'string' ? `${details.method} ${target ?? ''}`.trim() : '';

/** A sentence for a record or a fold, with links to the things that it names. */
export function useSentences(records: readonly AuditRecord[]): (...fold: readonly AuditRecord[]) => ReactNode {
  const { identityId } = useOperator();
  const nameOf = useNameOf(records);
  return (...fold) =>
    foldSentence(fold, identityId, nameOf).map(({ text, names }, index) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a sentence never change places
      <span key={index}>{names === undefined ? text : <NamedPart text={text} names={names} />}</span>
    ));
}

/** Excludes the space before a name from the link. */
function NamedPart({ text, names }: { text: string; names: NamedThing }) {
  const name = text.trimStart();
  return (
    <>
      {text.slice(0, text.length - name.length)}
      <NamedLink thing={names}>{name}</NamedLink>
    </>
  );
}

/** A name, linked to its page if the operator may open that page. */
export function NamedLink({ thing, children }: { thing: NamedThing; children: ReactNode }) {
  const { routesByPath } = useRouter();
  const may = useCan();
  const { to, needs, params, search } = pageOf(thing);
  if (!(to in routesByPath && may(needs))) return <span title={thing.id}>{children}</span>;
  return (
    // Search parameters have no type when the path is only a string.
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

interface Destination {
  to: string;
  needs: Capability;
  params?: Record<string, string>;
  search?: Record<string, string>;
}

/** The page of a named thing. Operators link to their actions: their identity may be in another store. */
function pageOf({ kind, id }: NamedThing): Destination {
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

/** Names of the operators, people and clients in these records. */
export function useNameOf(records: readonly Omit<RecordedAct, 'details'>[]): NameOf {
  const operators = useOperatorNames(operatorsIn(records, useOperator().identityId));
  const subjects = useSubjectNames(subjectsIn(records));
  return ({ kind, id }) => {
    if (kind === 'operator') return formatOperator(operators.get(id.toLowerCase()));
    const name = subjects.get(`${kind}:${id}`);
    return name === undefined ? undefined : visibleText(name);
  };
}

/** Ids of the operators in these records. @param self acts as "You" */
export const operatorsIn = (records: readonly Omit<RecordedAct, 'details'>[], self: string): string[] =>
  records
    .flatMap(({ action, actor, target }) => [
      actor === self ? '' : actor,
      action === 'session_revoke' ? (target ?? '') : '',
    ])
    .filter(isUuid);

/** People and clients in these records; `useOperatorNames` covers operators. */
export const subjectsIn = (records: readonly Omit<RecordedAct, 'details'>[]): NamedSubject[] =>
  records
    .filter(({ action }) => action !== 'session_revoke')
    .map(({ subject }) => subject)
    .filter((subject): subject is NamedSubject => /^(?:identity|client):/.test(subject ?? ''));

/** An e-mail address identifies an operator. Display names can be any text, even "The service": a short id follows. */
export function formatOperator(operator: OperatorName | undefined): string | undefined {
  const { identity_id, name, email } = operator ?? {};
  if (email != null) return visibleText(email);
  return name == null ? undefined : `${visibleText(name)} (${shortId(identity_id ?? '')})`;
}
