import { useQuery } from '@tanstack/react-query';
import type { AuditRecord } from '../../../../shared/audit.ts';
import { recentAuditQuery } from '../../../api/security.ts';
import { useOperator } from '../../../api/session.ts';
import { foldRecords, foldSentence, type RecordFold } from '../../../audit-view/fold-records.ts';
import { useNameOf } from '../../../audit-view/operator-names.ts';
import { counted } from '../../../format/counted.ts';
import { Note } from '../../../ui/feedback/note.tsx';
import { RelativeTime } from '../../../ui/relative-time.tsx';
import classes from './lines.module.css';
import { Loaded } from './loaded.tsx';

export function RecentAudit() {
  const { identityId } = useOperator();
  const question = useQuery(recentAuditQuery);
  const nameOf = useNameOf(question.data?.events ?? []);
  const told = (fold: RecordFold): string =>
    foldSentence(fold, identityId, nameOf)
      .map(({ text }) => text)
      .join('');
  return (
    <Loaded question={question}>
      {({ events, has_more, clockAheadMs }) => (
        <>
          {events.length === 0 ? (
            <p className={classes.summary}>Nothing has been changed yet.</p>
          ) : (
            // biome-ignore lint/a11y/noNoninteractiveTabindex: scroll containers must be reachable by keyboard
            <ul className={classes.lines} tabIndex={0} aria-label="Latest changes in the audit trail">
              {rowsOf(events).map((fold) => (
                <li key={fold[0].sequence}>
                  <span className={classes.about}>
                    {fold.length === 1 ? (
                      told(fold)
                    ) : (
                      <details>
                        <summary>{told(fold)}</summary>
                        <ul className={classes.opened}>
                          {fold.map((record) => (
                            <li key={record.sequence}>{told([record])}</li>
                          ))}
                        </ul>
                      </details>
                    )}
                  </span>
                  <span className={classes.aside}>
                    <RelativeTime at={fold[0].timestamp} />
                  </span>
                </li>
              ))}
            </ul>
          )}
          <Note
            of={latest(events, has_more)}
            asOf={new Date(question.dataUpdatedAt + clockAheadMs).toISOString()}
            clockAheadMs={clockAheadMs}
          />
        </>
      )}
    </Loaded>
  );
}

/** A bulk act is one row: more records are read than rows are shown. */
const ROWS = 10;
const rowsOf = (events: readonly AuditRecord[]): RecordFold[] => foldRecords(events).slice(0, ROWS);

function latest(events: readonly AuditRecord[], hasMore: boolean): string {
  const count = rowsOf(events).flat().length;
  return `${hasMore || count < events.length ? 'the latest ' : ''}${counted(count, 'change', 'changes')}`;
}
