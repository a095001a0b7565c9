import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { AuditRecord } from '../../../shared/audit.ts';
import { auditChainQuery, readAuditPage, resolveTimes } from '../../api/audit.ts';
import { changedMembers } from '../../audit/proxied-act.ts';
import { requestOf } from '../../audit/record-facts.ts';
import { formatRecord } from '../../audit/record-sentence.ts';
import { rowWriters, useLogExport } from './log-export.tsx';
import { filterIn, isFiltered } from './search-params.ts';

const PAGE_SIZE = 250;

const route = getRouteApi('/signed-in/security/audit');

export function useAuditExport() {
  const filter = filterIn({ ...route.useSearch() });
  const isAll = !isFiltered(filter) && filter.changes !== 'true';
  const { data: chain } = useQuery(auditChainQuery);
  return useLogExport({
    ...{ subject: 'audit', one: 'record', many: 'records', isAll, writers: RECORD_WRITERS },
    // The number of records is known only without filters.
    total: isAll ? chain?.head : undefined,
    pages() {
      const fixed = resolveTimes(filter, Date.now());
      return (token, signal) => readAuditPage({ ...fixed, pageSize: PAGE_SIZE, token }, signal);
    },
  });
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

export const RECORD_WRITERS = rowWriters(COLUMNS, (record) => formatRecord(record));
