import { Box } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { type ReactNode, useRef, useState } from 'react';
import type { AuditRecord } from '../../../shared/audit.ts';
import { auditChainQuery, readAuditPage, resolveTimes } from '../../api/audit.ts';
import { changedMembers } from '../../audit/proxied-act.ts';
import { requestOf } from '../../audit/record-facts.ts';
import { formatRecord } from '../../audit/record-sentence.ts';
import { deployment } from '../../deployment.ts';
import { csvHeader, csvLine } from '../../lib/files.ts';
import { counted } from '../../lib/format-count.ts';
import { ExportProgress, startExport, useExport } from '../../list/export.tsx';
import { Options } from '../../list/filter-panel.tsx';
import { PopoverButton, PopoverPanel } from '../../list/toolbar.tsx';
import { FocusOnChange } from '../../ui/hooks.tsx';
import { IconDownload } from '../../ui/shell-icons.tsx';
import { filterIn, isFiltered } from './search-params.ts';

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
  const start = (format: string): void => {
    total.current = isAll ? chain?.head : undefined;
    // “The last hour” must mean the same period for all pages of the file.
    const fixed = resolveTimes(filter, Date.now());
    const page = (token: string | undefined, signal: AbortSignal) =>
      readAuditPage({ ...fixed, pageSize: PAGE_SIZE, token }, signal);
    const writer = RECORD_WRITERS[format === 'csv' ? 'csv' : 'ndjson'];
    exporting.start(startExport(writer, page), { subject: `audit-${deployment}`, extension: format });
    setOpen(false);
  };
  const which = isAll ? 'all records' : 'matching records';
  const button = (
    <PopoverButton
      aria-label="Export…"
      title="Export…"
      open={open}
      setOpen={setOpen}
      reason={state.step === 'run' ? 'An export is running.' : undefined}
      panel={() => (
        <PopoverPanel label="Export">
          <Options
            label="Export"
            options={[
              { value: 'csv', label: `Export ${which} as CSV` },
              { value: 'ndjson', label: `Export ${which} as NDJSON` },
            ]}
            onChoose={start}
          />
        </PopoverPanel>
      )}
    >
      <IconDownload />
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

/** The last two are for changes through an admin API: method and path, and the changed members. */
const COLUMNS: Record<string, (record: AuditRecord) => string | number> = {
  sequence: ({ sequence }) => sequence,
  timestamp: ({ timestamp }) => timestamp,
  action: ({ action }) => action,
  actor: ({ actor }) => actor,
  target: ({ target }) => target ?? '',
  subject: ({ subject }) => subject ?? '',
  details: ({ details }) => JSON.stringify(details),
  'in words': (record) => formatRecord(record),
  request: requestOf,
  changed: (record) => changedMembers(record).join(' '),
};

export const RECORD_WRITERS = {
  csv: {
    start: csvHeader(Object.keys(COLUMNS)),
    write: (record: AuditRecord) => csvLine(Object.values(COLUMNS).map((cell) => cell(record))),
  },
  ndjson: {
    start: '',
    write: (record: AuditRecord) => `${JSON.stringify({ ...record, in_words: formatRecord(record) })}\n`,
  },
};
