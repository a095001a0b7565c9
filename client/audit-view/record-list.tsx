import type { AuditRecord } from '../../shared/audit.ts';
import { useOperator } from '../api/session.ts';
import { exactTime, RelativeTime } from '../ui/relative-time.tsx';
import { NamedLink } from './named-link.tsx';
import { useNameOf } from './operator-names.ts';
import { recordDetails } from './record-details.ts';
import classes from './record-list.module.css';
import { recordSentence } from './record-sentence.ts';

/** Records as sentences, with their details and links below. */
export function RecordList(props: { label: string; records: readonly AuditRecord[]; busy?: boolean }) {
  const { identityId } = useOperator();
  const nameOf = useNameOf(props.records);
  return (
    <ol className={classes.list} aria-label={props.label} aria-busy={props.busy} data-busy={props.busy || undefined}>
      {props.records.map((record) => (
        <li key={record.sequence} className={classes.record}>
          <span className={classes.sentence}>
            {recordSentence(record, identityId, nameOf).map(({ text, names }, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a sentence never change places
              <span key={index}>{names === undefined ? text : <Named text={text} names={names} />}</span>
            ))}
          </span>
          <span className={classes.time}>
            <RelativeTime at={record.timestamp} />
          </span>
          <span className={classes.details}>
            {[exactTime(record.timestamp), ...recordDetails(record), `record ${record.sequence}`].join(' · ')}
          </span>
        </li>
      ))}
    </ol>
  );
}

/** Keeps the space before a name out of the link. */
function Named({ text, names }: { text: string; names: Parameters<typeof NamedLink>[0]['thing'] }) {
  const name = text.trimStart();
  return (
    <>
      {text.slice(0, text.length - name.length)}
      <NamedLink thing={names}>{name}</NamedLink>
    </>
  );
}
