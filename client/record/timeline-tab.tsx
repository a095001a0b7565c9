import { Anchor } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { AuditRecord, AuditSubject } from '../../shared/audit.ts';
import { historyQuery } from '../api/audit.ts';
import { useCan } from '../api/session.ts';
import { useSentences } from '../audit/record-list.tsx';
import type { TimelineKind } from '../list/resource.ts';
import type { TimelineSource } from './timeline.tsx';
import { readBackTo, rowsOf, type TimelineLine, useReading } from './timeline-lines.ts';

/**
 * What the audit trail says about a record.
 * @param actionOf what can be done about one of its records
 */
export function useTrailSource(
  subject: AuditSubject,
  actionOf?: (record: AuditRecord, records: readonly AuditRecord[]) => ReactNode,
): TimelineSource {
  const reading = useReading(historyQuery(subject), useCan()('audit.read'));
  const records = rowsOf(reading);
  return {
    name: 'the audit trail',
    kinds: ['trail', 'sessions', 'consents'],
    reading,
    lines: useTrailLines(records, kindOfRecord, actionOf && ((record) => actionOf(record, records))),
    readTo: readBackTo(reading, ({ rows }) => rows.at(-1)?.timestamp),
  };
}

/** Records as lines. */
export function useTrailLines(
  records: readonly AuditRecord[],
  kindOf: (record: AuditRecord) => TimelineKind,
  actionOf?: (record: AuditRecord) => ReactNode,
): TimelineLine[] {
  const sentenceOf = useSentences(records);
  return records.map((record) => ({
    id: `record:${record.sequence}`,
    at: record.timestamp,
    kind: kindOf(record),
    text: sentenceOf(record),
    detail: <RecordLink record={record} />,
    action: actionOf?.(record),
  }));
}

/** Ending the sessions of a person is about sessions, and revoking consents about these. */
function kindOfRecord({ action, target }: AuditRecord): TimelineKind {
  const ended = action === 'proxy_write' ? /\/sessions(?:\/(?:consent|login))?\/?$/.exec(target ?? '') : null;
  if (ended === null) return 'trail';
  return ended[0].includes('consent') ? 'consents' : 'sessions';
}

/** Leads to the record itself: the trail takes times, not numbers. */
function RecordLink({ record: { sequence, timestamp, action } }: { record: AuditRecord }): ReactNode {
  const next = new Date(Date.parse(timestamp) + 1).toISOString();
  return (
    <Anchor
      inherit
      renderRoot={(props) => (
        <Link {...props} to="/security/audit" search={{ action, from: timestamp, to: next } as never} preload={false} />
      )}
    >
      Record {sequence}
    </Anchor>
  );
}

/** The link beside the timeline. */
export const TrailLink = ({ subject }: { subject: AuditSubject }) => (
  <Anchor component={Link} size="sm" to="/security/audit" search={{ subject } as never} preload={false}>
    Open in the audit trail
  </Anchor>
);
