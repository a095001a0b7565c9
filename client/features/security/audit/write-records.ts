import type { AuditRecord } from '../../../../shared/audit.ts';
import { formatRecord } from '../../../audit-view/record-sentence.ts';
import { REPORT_START, reportLine } from '../../../lib/csv-line.ts';
import type { RowWriter } from '../../../resource/export/export-run.ts';

const COLUMNS = ['sequence', 'timestamp', 'action', 'actor', 'target', 'subject', 'details', 'in words'];

/** For spreadsheets: cells that begin like a formula are escaped as text. NDJSON has the exact records. */
const csv: RowWriter<AuditRecord> = {
  start: REPORT_START + reportLine(COLUMNS),
  write: (record) =>
    reportLine([
      record.sequence,
      record.timestamp,
      record.action,
      record.actor,
      record.target ?? '',
      record.subject ?? '',
      JSON.stringify(record.details),
      formatRecord(record),
    ]),
};

const ndjson: RowWriter<AuditRecord> = { start: '', write: (record) => `${JSON.stringify(record)}\n` };

export const RECORD_WRITERS = { csv, ndjson } as const;
export type RecordFormat = keyof typeof RECORD_WRITERS;
