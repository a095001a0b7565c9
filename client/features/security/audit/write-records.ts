import type { AuditRecord } from '../../../../shared/audit.ts';
import { changedMembers } from '../../../audit-view/changed-members.ts';
import { requestOf } from '../../../audit-view/record-details.ts';
import { formatRecord } from '../../../audit-view/record-sentence.ts';
import { csvHeader, csvLine } from '../../../lib/csv-line.ts';
import type { RowWriter } from '../../../resource/export/export-run.ts';

/** The last two are of changes through an admin API: method and path, and the members that the record names. */
const COLUMNS = [
  'sequence',
  'timestamp',
  'action',
  'actor',
  'target',
  'subject',
  'details',
  'in words',
  'request',
  'changed',
];

const csv: RowWriter<AuditRecord> = {
  start: csvHeader(COLUMNS),
  write: (record) =>
    csvLine([
      record.sequence,
      record.timestamp,
      record.action,
      record.actor,
      record.target ?? '',
      record.subject ?? '',
      JSON.stringify(record.details),
      formatRecord(record),
      requestOf(record),
      changedMembers(record).join(' '),
    ]),
};

/** The records as they are, each with its sentence. */
const ndjson: RowWriter<AuditRecord> = {
  start: '',
  write: (record) => `${JSON.stringify({ ...record, in_words: formatRecord(record) })}\n`,
};

export const RECORD_WRITERS = { csv, ndjson } as const;
export type RecordFormat = keyof typeof RECORD_WRITERS;
