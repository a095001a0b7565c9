import { Box, Button, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { type ReactNode, useRef, useState } from 'react';
import type { AuditRecord } from '../../../shared/audit.ts';
import { atNow, auditChainQuery, readAuditPage } from '../../api/audit.ts';
import { changedMembers } from '../../audit/proxied-act.ts';
import { requestOf } from '../../audit/record-facts.ts';
import { formatRecord } from '../../audit/record-sentence.ts';
import { deployment } from '../../deployment.ts';
import { csvHeader, csvLine } from '../../lib/files.ts';
import { counted } from '../../lib/format-count.ts';
import { ExportProgress, type RowWriter, startExport, useExport } from '../../list/export.tsx';
import { PopoverButton, PopoverPanel } from '../../list/toolbar.tsx';
import { FocusOnChange } from '../../ui/hooks.tsx';
import { IconDownload } from '../../ui/shell-icons.tsx';
import { filterIn, isFiltered } from './search-params.ts';
import classes from './security.module.css';

const PAGE_SIZE = 250;

const route = getRouteApi('/signed-in/security/audit');

/** Exports the records that match the filters in the URL, page by page, to one file. */
export function useAuditExport(): { button: ReactNode; progress: ReactNode } {
  const [open, setOpen] = useState(false);
  const exporting = useExport();
  const filter = filterIn({ ...route.useSearch() });
  const isAll = !isFiltered(filter) && filter.changes !== 'true';
  const { data: chain } = useQuery(auditChainQuery);
  // The number of records is known only without filters.
  const total = useRef<number>(undefined);
  const { state } = exporting;
  const start = (format: RecordFormat): void => {
    total.current = isAll ? chain?.head : undefined;
    // “The last hour” must be the same period for all pages of the file.
    const fixed = atNow(filter, Date.now());
    const page = (token: string | undefined, signal: AbortSignal) =>
      readAuditPage({ ...fixed, pageSize: PAGE_SIZE, token }, signal);
    exporting.start(startExport(RECORD_WRITERS[format], page), { subject: `audit-${deployment}`, extension: format });
    setOpen(false);
  };
  const button = (
    <PopoverButton
      aria-label="Export…"
      open={open}
      setOpen={setOpen}
      reason={state.step === 'run' ? 'An export is running.' : undefined}
      panel={() => (
        <PopoverPanel label="Export the audit trail">
          <Text size="sm" maw="20rem" mb="sm">
            {isAll ? 'All records' : 'All records that match these filters'}, read page by page into one file. CSV is
            for spreadsheets; NDJSON contains each record as the service returned it, with its sentence.
          </Text>
          <Group gap="xs">
            <Button onClick={() => start('csv')}>Export as CSV</Button>
            <Button variant="default" onClick={() => start('ndjson')}>
              Export as NDJSON
            </Button>
          </Group>
        </PopoverPanel>
      )}
    >
      <IconDownload />
      <span className={classes.notOnPhone}>Export…</span>
    </PopoverButton>
  );
  const progress = (
    <FocusOnChange of={state.step}>
      {state.step !== 'ready' && (
        <Box mb="sm">
          <ExportProgress
            exporting={exporting}
            state={state}
            total={total.current}
            read={(count) => counted(count, 'record was', 'records were')}
          />
        </Box>
      )}
      {exporting.leaving}
    </FocusOnChange>
  );
  return { button, progress };
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
