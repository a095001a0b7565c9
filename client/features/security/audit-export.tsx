import { Button, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import type { AuditRecord } from '../../../shared/audit.ts';
import { auditChainQuery, readAuditPage } from '../../api/audit.ts';
import { changedMembers } from '../../audit/proxied-act.ts';
import { requestOf } from '../../audit/record-list.tsx';
import { formatRecord } from '../../audit/record-sentence.ts';
import { deployment } from '../../deployment.ts';
import { csvHeader, csvLine } from '../../lib/files.ts';
import { counted } from '../../lib/format-count.ts';
import { startOfLast } from '../../lib/period.ts';
import { ExportProgress, type RowWriter, startExport, useExport } from '../../list/export.tsx';
import { FocusOnChange } from '../../ui/hooks.tsx';
import { IconDownload } from '../../ui/shell-icons.tsx';
import { filterIn, isFiltered } from './search-params.ts';

const PAGE_SIZE = 250;

const route = getRouteApi('/signed-in/security/audit');

/** Exports the records that match the filters in the URL, page by page, to one file. */
export function AuditExport() {
  const [open, setOpen] = useState(false);
  const exporting = useExport();
  const filter = filterIn({ ...route.useSearch() });
  const { data: chain } = useQuery(auditChainQuery);
  // The number of records is known only without filters.
  const total = useRef<number>(undefined);
  const { state } = exporting;
  const start = (format: RecordFormat): void => {
    total.current = isFiltered(filter) ? undefined : chain?.head;
    // “The last 24 hours” must be the same period for all pages of the file.
    const from = filter.from && (startOfLast(filter.from, Date.now()) ?? filter.from);
    const page = (token: string | undefined, signal: AbortSignal) =>
      readAuditPage({ ...filter, ...(from && { from }), pageSize: PAGE_SIZE, token }, signal);
    exporting.start(startExport(RECORD_WRITERS[format], page), { subject: `audit-${deployment}`, extension: format });
  };
  return (
    <FocusOnChange of={open ? state.step : 'closed'}>
      {!open ? (
        <Button data-autofocus variant="default" leftSection={<IconDownload />} onClick={() => setOpen(true)}>
          Export…
        </Button>
      ) : state.step === 'ready' ? (
        <Paper withBorder p="md">
          <Stack gap="sm">
            <Title order={2}>Export the audit trail</Title>
            <Text size="sm">
              {isFiltered(filter) ? 'All records that match these filters' : 'All records'}, read page by page into one
              file. CSV is for spreadsheets; NDJSON contains each record as the service returned it, with its sentence.
            </Text>
            <Group gap="xs">
              <Button data-autofocus onClick={() => start('csv')}>
                Export as CSV
              </Button>
              <Button variant="default" onClick={() => start('ndjson')}>
                Export as NDJSON
              </Button>
              <Button variant="default" onClick={() => setOpen(false)}>
                Close
              </Button>
            </Group>
          </Stack>
        </Paper>
      ) : (
        <ExportProgress
          exporting={exporting}
          state={state}
          total={total.current}
          read={(count) => counted(count, 'record was', 'records were')}
        />
      )}
      {exporting.leaving}
    </FocusOnChange>
  );
}

/** The last two columns are for changes through an admin API: method and path, and the changed members. */
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

const ndjson: RowWriter<AuditRecord> = {
  start: '',
  write: (record) => `${JSON.stringify({ ...record, in_words: formatRecord(record) })}\n`,
};

export const RECORD_WRITERS = { csv, ndjson } as const;
type RecordFormat = keyof typeof RECORD_WRITERS;
