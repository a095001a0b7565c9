import { useQuery } from '@tanstack/react-query';
import { recentAuditQuery } from '../../../api/security.ts';
import { useOperator } from '../../../api/session.ts';
import { useNameOf } from '../../../audit-view/operator-names.ts';
import { formatRecord } from '../../../audit-view/record-sentence.ts';
import { counted } from '../../../format/counted.ts';
import { Note } from '../../../ui/feedback/note.tsx';
import { RelativeTime } from '../../../ui/relative-time.tsx';
import classes from './lines.module.css';
import { Loaded } from './loaded.tsx';

export function RecentAudit() {
  const { identityId } = useOperator();
  const question = useQuery(recentAuditQuery);
  const nameOf = useNameOf(question.data?.events ?? []);
  return (
    <Loaded question={question}>
      {({ events, has_more, clockAheadMs }) => (
        <>
          {events.length === 0 ? (
            <p className={classes.summary}>Nothing has been changed yet.</p>
          ) : (
            // biome-ignore lint/a11y/noNoninteractiveTabindex: scroll containers must be reachable by keyboard
            <ul className={classes.lines} tabIndex={0} aria-label="Latest changes in the audit trail">
              {events.map((event) => (
                <li key={event.sequence}>
                  <span className={classes.about}>{formatRecord(event, identityId, nameOf)}</span>
                  <span className={classes.aside}>
                    <RelativeTime at={event.timestamp} />
                  </span>
                </li>
              ))}
            </ul>
          )}
          <Note
            of={`${has_more ? 'the latest ' : ''}${counted(events.length, 'change', 'changes')}`}
            asOf={new Date(question.dataUpdatedAt + clockAheadMs).toISOString()}
            clockAheadMs={clockAheadMs}
          />
        </>
      )}
    </Loaded>
  );
}
