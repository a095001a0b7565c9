import { type ReactNode, useState } from 'react';
import type { AuditRecord } from '../../shared/audit.ts';
import { FactList } from '../ui/fact-list.tsx';
import { exactTime, RelativeTime } from '../ui/relative-time.tsx';
import { recordDetails, recordFacts } from './record-details.ts';
import classes from './record-list.module.css';
import { useSentences } from './sentences.tsx';

/**
 * Records as sentences with links; ids, requests and members open on demand.
 * @param action what can be done about a record, beside its time
 */
export function RecordList(props: {
  label: string;
  records: readonly AuditRecord[];
  busy?: boolean;
  action?: ((record: AuditRecord) => ReactNode) | undefined;
}) {
  const sentenceOf = useSentences(props.records);
  return (
    <ol className={classes.list} aria-label={props.label} aria-busy={props.busy} data-busy={props.busy || undefined}>
      {props.records.map((record) => (
        <li key={record.sequence} className={classes.record}>
          <span className={classes.sentence}>{sentenceOf(record)}</span>
          <span className={classes.time}>
            {props.action?.(record)}
            <RelativeTime at={record.timestamp} />
          </span>
          <Details record={record} />
        </li>
      ))}
    </ol>
  );
}

function Details({ record }: { record: AuditRecord }) {
  const [open, setOpen] = useState(false);
  return (
    <details className={classes.details} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        {[exactTime(record.timestamp), ...recordDetails(record), `record ${record.sequence}`].join(' · ')}
      </summary>
      {open && <FactList facts={recordFacts(record)} />}
    </details>
  );
}
