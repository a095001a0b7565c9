import { type ReactNode, useState } from 'react';
import type { AuditRecord } from '../../shared/audit.ts';
import { FactList } from '../ui/fact-list.tsx';
import { exactTime, RelativeTime } from '../ui/relative-time.tsx';
import { foldRecords, type RecordFold } from './fold-records.ts';
import { recordDetails, recordFacts } from './record-details.ts';
import classes from './record-list.module.css';
import { useSentences } from './sentences.tsx';

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
