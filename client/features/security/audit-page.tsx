import { Box, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { AuditChainState, AuditRecord } from '../../../shared/audit.ts';
import {
  AUDIT_PAGES_KEY,
  type AuditFilter,
  type AuditPageParams,
  auditChainQuery,
  auditPageQuery,
  readAuditPage,
} from '../../api/audit.ts';
import { RecordList } from '../../audit/record-list.tsx';
import { counted, digits } from '../../lib/format-count.ts';
import { ListContext } from '../../list/cursor-list.ts';
import { FilterChips } from '../../list/filters.tsx';
import { useResourceList } from '../../list/list-page.tsx';
import { NewerRowsButton, type NewerRowsQuery, type RowMark } from '../../list/newer-rows.tsx';
import { formatPage, ListFooter, Paging } from '../../list/pager.tsx';
import { NoMatch } from '../../list/search.tsx';
import classes from '../../list/table.module.css';
import { InvalidInLink, RefreshButton, Toolbar } from '../../list/toolbar.tsx';
import { ViewsButton } from '../../list/views-button.tsx';
import { exactTime, StatusDot } from '../../ui/facts.tsx';
import { FailurePanel } from '../../ui/failure-panel.tsx';
import { ListSkeleton } from '../../ui/loading.tsx';
import { StatePanel } from '../../ui/state-panel.tsx';
import { useAuditExport } from './audit-export.tsx';
import { useAuditFilters } from './audit-filters.tsx';
import { auditSearch, filterIn, isFiltered } from './search-params.ts';

export function AuditPage() {
  const list = useResourceList({ search: auditSearch }, { query: auditPageQuery, pagesKey: AUDIT_PAGES_KEY });
  const exporting = useAuditExport();
  const { loaded, failure, pending, params } = list;
  const isSearch = isFiltered(params);
  const rows = loaded?.page.rows ?? [];
  return (
    <ListContext value={list}>
      <InvalidInLink />
      <Toolbar
        end={
          <>
            {exporting.button}
            <ViewsButton of="audit" />
            <RefreshButton />
          </>
        }
      >
        <FilterChips useFilters={useAuditFilters} />
      </Toolbar>
      {exporting.progress}
      <Stack gap="sm" mb={failure !== undefined || list.outdated ? 'sm' : 0}>
        {failure !== undefined && <FailurePanel error={failure} onRetry={list.retry} />}
        {list.outdated && <FailurePanel error={TOO_OLD} onRetry={list.startAgain} />}
      </Stack>
      {loaded && <NewerRowsButton query={NEWER} />}
      {loaded === undefined ? (
        pending && <ListSkeleton label="Loading the audit trail" rows={10} />
      ) : rows.length === 0 ? (
        <NoRecords filter={filterIn({ ...params })} />
      ) : (
        <div className={classes.frame}>
          <RecordList label="Records, newest first" records={rows} folded busy={pending} />
        </div>
      )}
      <ListFooter
        // A row may stand for several records.
        status={
          pending
            ? 'Loading…'
            : loaded && rows.length > 0
              ? formatPage(loaded, NEWER, isSearch).replace('row', 'record')
              : ''
        }
        total={<ChainState />}
        paging={<Paging />}
      />
    </ListContext>
  );
}

function NoRecords({ filter }: { filter: AuditFilter }) {
  const isChanges = filter.changes === 'true';
  const all = { label: 'Show everything', to: { search: { changes: 'false' } } };
  if (isFiltered(filter))
    return (
      <NoMatch
        title="No record matches"
        text={`No record${isChanges ? ' of a change' : ''} matches all of these filters.`}
        offers={[
          isChanges ? { label: 'Include sign-ins and searches', to: { search: { ...filter, changes: 'false' } } } : all,
        ]}
      />
    );
  return isChanges ? (
    <NoMatch title="No changes yet" text="Sign-ins and reads are hidden." offers={[all]} />
  ) : (
    <StatePanel kind="no-data" title="No records yet" text="Sign-ins and changes will appear here." />
  );
}

const TOO_OLD = new Error('This link is too old. Start again from page 1.');

/** Whether any record was changed or removed. */
function ChainState() {
  const { data, error } = useQuery(auditChainQuery);
  if (data === undefined)
    return error && <StatusDot status="off">{`The state of the chain is unknown: ${error.message}`}</StatusDot>;
  const broken = data.status === 'broken';
  return (
    <Box
      component="span"
      display="inline-block"
      ms={{ sm: 'md' }}
      role={broken ? 'alert' : undefined}
      title={`As of ${exactTime(data.as_of)}`}
    >
      <StatusDot status={CHAIN_DOTS[data.status]}>{formatChain(data)}</StatusDot>
    </Box>
  );
}

function formatChain(chain: AuditChainState): string {
  switch (chain.status) {
    case 'whole':
      return chain.head === 0
        ? 'The chain has no records yet'
        : `The chain is intact: all ${counted(chain.head, 'record', 'records')} verified`;
    case 'checking':
      return `Checking the chain: ${digits(chain.verified_to)} of ${counted(chain.head, 'record', 'records')} verified so far`;
    case 'broken':
      return `The chain is broken at record ${digits(chain.broken_at ?? chain.verified_to + 1)}: this record or an earlier one was changed or removed. Compare the trail with the log and the last backup.`;
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
