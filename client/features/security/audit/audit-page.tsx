import { Group, Paper, Stack } from '@mantine/core';
import { AUDIT_PAGES_KEY, auditPageQuery } from '../../../api/audit.ts';
import { RecordList } from '../../../audit-view/record-list.tsx';
import { formatPage } from '../../../resource/list/format-page.ts';
import { useResourceList } from '../../../resource/list/list-page.tsx';
import { PageLine } from '../../../resource/list/page-line.tsx';
import { Pager } from '../../../resource/list/pager.tsx';
import { WithViews } from '../../../resource/list/views-menu.tsx';
import { NoMatch } from '../../../resource/search/no-match.tsx';
import { EmptyState } from '../../../ui/feedback/empty-state.tsx';
import { FailurePanel } from '../../../ui/feedback/failure-panel.tsx';
import { ListSkeleton } from '../../../ui/loading/list-skeleton.tsx';
import { AuditExport } from './audit-export.tsx';
import classes from './audit-filters.module.css';
import { AuditFilters } from './audit-filters.tsx';
import { auditSearch, isFiltered } from './audit-search-params.ts';
import { ChainState } from './chain-state.tsx';
import { NewRecords } from './new-records.tsx';

export const AuditPage = () => (
  <Stack gap="md" pt="md">
    <ChainState />
    <div className={classes.tools}>
      <AuditFilters />
      <WithViews of="audit">
        <AuditExport />
      </WithViews>
    </div>
    <AuditList />
  </Stack>
);

function AuditList() {
  const list = useResourceList({ search: auditSearch }, { query: auditPageQuery, pagesKey: AUDIT_PAGES_KEY });
  const { shown, failure, pending } = list;
  const filtered = isFiltered(list.params);
  return (
    <Stack gap="md">
      {failure !== undefined && <FailurePanel error={failure} onRetry={list.retry} />}
      {list.outdated && <FailurePanel error={TOO_OLD} onRetry={list.startAgain} />}
      {shown === undefined ? (
        pending && <ListSkeleton label="Loading the audit trail" rows={10} />
      ) : shown.page.rows.length === 0 ? (
        <>
          <NewRecords list={list} />
          <Nothing filtered={filtered} />
        </>
      ) : (
        <>
          <Group justify="space-between" gap="sm">
            <PageLine
              status={pending ? 'Loading…' : formatPage(shown, { one: 'record', many: 'records' }, filtered)}
              total={false}
            />
            <Pager list={list} />
          </Group>
          <NewRecords list={list} />
          <Paper withBorder>
            <RecordList label="Records, the latest first" records={shown.page.rows} folded busy={pending} />
          </Paper>
        </>
      )}
    </Stack>
  );
}

const TOO_OLD = new Error('This page link is too old. Start again from page 1.');

const Nothing = ({ filtered }: { filtered: boolean }) =>
  filtered ? (
    <NoMatch
      title="No record matches"
      text="Nothing in the trail matches all of these filters."
      offers={[{ label: 'Show everything', to: { search: {} } }]}
    />
  ) : (
    <EmptyState kind="no-data" title="No records yet" text="The first sign-in is the first record." />
  );
