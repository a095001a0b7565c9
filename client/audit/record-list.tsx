import { Box, Group, Paper, Stack } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { type MouseEvent, type ReactNode, type RefObject, useId, useRef, useState } from 'react';
import type { AuditRecord, AuditSubject } from '../../shared/audit.ts';
import type { OperatorName } from '../../shared/security.ts';
import { historyQuery } from '../api/audit.ts';
import { useOperatorNames } from '../api/names.ts';
import { useCan, useOperator } from '../api/session.ts';
import { SmallButton } from '../ui/buttons.tsx';
import { FactList, RelativeTime } from '../ui/facts.tsx';
import { FailurePanel } from '../ui/failure-panel.tsx';
import { usePageKeys } from '../ui/hooks.tsx';
import { TextLink } from '../ui/layout.tsx';
import { LinkedText } from '../ui/linked-text.tsx';
import { LoadingRows } from '../ui/loading.tsx';
import { Person } from '../ui/person.tsx';
import { IconChevronRight } from '../ui/shell-icons.tsx';
import { NoAccessPanel, StatePanel } from '../ui/state-panel.tsx';
import { foldRecords, foldSentence, type RecordFold } from './fold-records.ts';
import { recordFacts } from './record-facts.ts';
import classes from './record-list.module.css';
import { NamedLink, operatorsIn, useNameOf } from './record-names.tsx';
import { actorPart, reasonIn } from './record-sentence.ts';

/**
 * A list of records, one line each, with details to unfold.
 * @param folded whether the records of one action form one row, which expands
 */
export function RecordList(props: { label: string; records: readonly AuditRecord[]; busy: boolean; folded?: boolean }) {
  const { records, folded = false } = props;
  const { identityId } = useOperator();
  const operators = useOperatorNames(operatorsIn(records, identityId));
  const sentenceOf = useSentences(records);
  const list = useRef<HTMLOListElement>(null);
  useRowKeys(list, folded);
  const rows: readonly RecordFold[] = folded ? foldRecords(records) : records.map((record) => [record]);
  const row = (fold: RecordFold, isPart?: true): ReactNode => {
    const [first] = fold;
    return (
      <Row
        key={first.sequence}
        fold={fold}
        who={
          isPart ? undefined : <Who record={first} self={identityId} found={operators.get(first.actor.toLowerCase())} />
        }
        act={
          <>
            {sentenceOf(...fold).slice(1)}
            {!isPart && <Reason record={first} />}
          </>
        }
        content={() =>
          fold.length === 1 ? (
            <FactList facts={recordFacts(first)} />
          ) : (
            <ol data-rows>{fold.map((record) => row([record], true))}</ol>
          )
        }
      />
    );
  };
  return (
    <Box
      component="ol"
      ref={list}
      className={classes.list}
      fz="sm"
      opacity={props.busy ? 0.6 : undefined}
      data-rows
      aria-label={props.label}
      aria-busy={props.busy}
    >
      {rows.map((fold) => row(fold))}
    </Box>
  );
}

/** `j` and `k` move between the rows, no matter where the focus is. */
function useRowKeys(list: RefObject<HTMLElement | null>, enabled: boolean): void {
  usePageKeys((key) => {
    const step = { j: 1, k: -1 }[key];
    if (!enabled || step === undefined) return undefined;
    return () => {
      const rows = [...(list.current?.querySelectorAll<HTMLElement>('button[aria-expanded]') ?? [])];
      const at = rows.findIndex(({ parentElement }) => parentElement?.contains(document.activeElement));
      rows[at === -1 ? 0 : at + step]?.focus();
    };
  });
}

/** @param props.who undefined in a fold, whose row names the operator */
function Row(props: { fold: RecordFold; who: ReactNode; act: ReactNode; content: () => ReactNode }) {
  const { fold, who } = props;
  const [{ sequence, timestamp }] = fold;
  const [open, setOpen] = useState(false);
  const id = useId();
  const onClick = ({ target }: MouseEvent): void => {
    const control = (target as Element).closest('a, button');
    // Selecting text must not open the record.
    if (control === null ? getSelection()?.isCollapsed !== false : control.matches('button')) setOpen(!open);
  };
  return (
    <li data-open={open || undefined}>
      {/* biome-ignore lint/a11y/noStaticElementInteractions lint/a11y/useKeyWithClickEvents: its button handles the keyboard */}
      <div className={classes.line} onClick={onClick}>
        <button
          type="button"
          className={classes.toggle}
          aria-expanded={open}
          aria-controls={open ? id : undefined}
          aria-label={fold.length === 1 ? `Details of record ${sequence}` : `Show the ${fold.length} records`}
        >
          <IconChevronRight size={14} />
        </button>
        <span className={classes.time}>
          <RelativeTime at={timestamp} />
        </span>
        {who && <span className={classes.who}>{who}</span>}
        <span className={classes.act}>{props.act}</span>
        {fold.length > 1 && <span className={classes.count}>{fold.length} records</span>}
      </div>
      {open && (
        <div id={id} className={classes.details}>
          {props.content()}
        </div>
      )}
    </li>
  );
}

/** Who acted. A display name can be any text, even "The service", so the address or a short id follows it. */
function Who(props: { record: AuditRecord; self: string; found: OperatorName | undefined }) {
  const { record, self, found } = props;
  const { text, names } = actorPart(record, self);
  const isOther = names !== undefined && record.actor !== self;
  const person = (
    <Person
      name={isOther ? (found?.name ?? undefined) : text}
      identifier={isOther ? (found?.email ?? (found?.name == null ? undefined : text)) : undefined}
      id={text}
      oneLine
    />
  );
  return names === undefined ? (
    person
  ) : (
    <NamedLink thing={names} quiet>
      {person}
    </NamedLink>
  );
}

/**
 * A subject's audit records, newest first.
 * @param nothing explains an empty list
 */
export const SubjectHistory = (props: { subject: AuditSubject; nothing: string }) =>
  useCan()('audit.read') ? <ReadableHistory {...props} /> : <NoAccessPanel needs={['audit.read']} />;

function ReadableHistory({ subject, nothing }: { subject: AuditSubject; nothing: string }) {
  const { data, error, isFetching, hasNextPage, fetchNextPage, refetch } = useInfiniteQuery(historyQuery(subject));
  const records = data?.pages.flatMap(({ rows }) => rows);
  const retry = () => void (data === undefined ? refetch() : fetchNextPage());
  return (
    <Stack gap="sm">
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
      <Group>
        {error === null && hasNextPage && (
          <SmallButton loading={isFetching} onClick={() => void fetchNextPage()}>
            Show older records
          </SmallButton>
        )}
        <TrailLink subject={subject} />
      </Group>
    </Stack>
  );
}

export const TrailLink = ({ subject }: { subject: AuditSubject }) =>
  useCan()('audit.read') && (
    <TextLink size="sm" to="/security/audit" search={{ subject } as never}>
      Open in the audit trail
    </TextLink>
  );

/** The operator's words, after a sentence. Records of a fold have the same. */
export function Reason({ record }: { record: AuditRecord }) {
  const reason = reasonIn(record);
  return (
    reason !== undefined && (
      <span>
        {' “'}
        <LinkedText text={reason} />”
      </span>
    )
  );
}

/** A sentence for a record or a fold, with links to the things that it names. */
export function useSentences(records: readonly AuditRecord[]): (...fold: readonly AuditRecord[]) => ReactNode[] {
  const { identityId } = useOperator();
  const nameOf = useNameOf(records);
  return (...fold) =>
    foldSentence(fold, identityId, nameOf).map(({ text, names }, index) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a sentence never change their order
      <span key={index}>
        {names !== undefined && text.startsWith(' ') && ' '}
        {names === undefined ? text : <NamedLink thing={names}>{text.trimStart()}</NamedLink>}
      </span>
    ));
}
