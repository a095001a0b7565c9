import { Paper, Skeleton, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { AuditChainState, AuditRecord } from '../../../shared/audit.ts';
import {
  AUDIT_PAGES_KEY,
  type AuditPageParams,
  auditChainQuery,
  auditPageQuery,
  readAuditPage,
} from '../../api/audit.ts';
import { RecordList } from '../../audit/record-list.tsx';
import { counted, digits } from '../../lib/format-count.ts';
import { ListContext } from '../../list/cursor-list.ts';
import { useResourceList } from '../../list/list-page.tsx';
import { NewerRowsButton, type NewerRowsQuery, type RowMark } from '../../list/newer-rows.tsx';
import { formatPage, ListFooter } from '../../list/pager.tsx';
import { NoMatch } from '../../list/search.tsx';
import { ViewsButton } from '../../list/views-button.tsx';
import { RelativeTime, StatusDot } from '../../ui/facts.tsx';
import { FailureNote, FailurePanel } from '../../ui/failure-panel.tsx';
import { ListSkeleton } from '../../ui/loading.tsx';
import { StatePanel } from '../../ui/state-panel.tsx';
import { AuditExport } from './audit-export.tsx';
import { AuditFilters } from './audit-filters.tsx';
import { auditSearch, isFiltered } from './search-params.ts';
import classes from './security.module.css';

export const AuditPage = () => (
  <Stack gap="md" pt="md">
    <ChainState />
    <div className={classes.tools}>
      <AuditFilters />
      <AuditExport />
      <ViewsButton of="audit" />
    </div>
    <AuditList />
  </Stack>
);

function AuditList() {
  const list = useResourceList({ search: auditSearch }, { query: auditPageQuery, pagesKey: AUDIT_PAGES_KEY });
  const { loaded, failure, pending } = list;
  const filtered = isFiltered(list.params);
  return (
    <ListContext value={list}>
      <Stack gap="md">
        {failure !== undefined && <FailurePanel error={failure} onRetry={list.retry} />}
        {list.outdated && <FailurePanel error={TOO_OLD} onRetry={list.startAgain} />}
        {loaded === undefined ? (
          pending && <ListSkeleton label="Loading the audit trail" rows={10} />
        ) : loaded.page.rows.length === 0 ? (
          <>
            <NewerRowsButton query={NEWER} />
            {filtered ? (
              <NoMatch
                title="No record matches"
                text="No record matches all of these filters."
                offers={[{ label: 'Show all records', to: { search: {} } }]}
              />
            ) : (
              <StatePanel kind="no-data" title="No records yet" text="The first sign-in becomes the first record." />
            )}
          </>
        ) : (
          <>
            <NewerRowsButton query={NEWER} />
            <div>
              <Paper withBorder>
                <RecordList label="Records, newest first" records={loaded.page.rows} folded busy={pending} />
              </Paper>
              <ListFooter
                status={pending ? 'Loading…' : formatPage(loaded, { one: 'record', many: 'records' }, filtered)}
              />
            </div>
          </>
        )}
      </Stack>
    </ListContext>
  );
}

const TOO_OLD = new Error('This page link is too old. Start again from page 1.');

/** Whether any record was changed or removed. */
function ChainState() {
  const { data, error } = useQuery(auditChainQuery);
  if (data === undefined)
    return error === null ? (
      <Skeleton height={22} width="min(24rem, 100%)" />
    ) : (
      <div>
        <StatusDot status="off">The state of the chain is unknown.</StatusDot>
        <FailureNote error={error} />
      </div>
    );
  const broken = data.status === 'broken';
  return (
    <Text size="sm" component="div" role={broken ? 'alert' : undefined}>
      <StatusDot status={CHAIN_DOTS[data.status]}>{formatChain(data)}</StatusDot>{' '}
      {!broken && (
        <Text span size="xs" c="dimmed">
          <RelativeTime at={data.as_of} />
        </Text>
      )}
    </Text>
  );
}

function formatChain(chain: AuditChainState): string {
  switch (chain.status) {
    case 'whole':
      return chain.head === 0
        ? 'The chain has no records yet.'
        : `The chain is intact: all ${counted(chain.head, 'record', 'records')} verified.`;
    case 'checking':
      return `Checking the chain: ${digits(chain.verified_to)} of ${counted(chain.head, 'record', 'records')} verified so far.`;
    case 'broken':
      return `The chain is broken at record ${digits(chain.broken_at ?? chain.verified_to + 1)}: it, or one before it, was changed or removed. Compare with the log and the last backup.`;
  }
}

const CHAIN_DOTS = { whole: 'good', checking: 'off', broken: 'bad' } as const;

const ROWS = 50;

const markOf = ({ sequence }: AuditRecord): RowMark => ({ id: String(sequence), at: sequence });

const NEWER: NewerRowsQuery<AuditRecord, AuditPageParams> = {
  one: 'record',
  many: 'records',
  markOf,
  async readFirst(filter, signal) {
    const { rows, next } = await readAuditPage({ ...filter, pageSize: ROWS }, signal);
    return { marks: rows.map(markOf), more: next !== undefined };
  },
};
