import { Button, Group, Paper, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { AUDIT_PAGES_KEY, auditPageQuery } from '../../../api/audit.ts';
import { RecordList } from '../../../audit-view/record-list.tsx';
import { formatPage } from '../../../resource/list/format-page.ts';
import { PageLine } from '../../../resource/list/page-line.tsx';
import { pageParams, usePagesWalked } from '../../../resource/list/page-step.ts';
import { Pager } from '../../../resource/list/pager.tsx';
import { useCursorList } from '../../../resource/list/use-cursor-list.ts';
import { EmptyState } from '../../../ui/feedback/empty-state.tsx';
import { FailurePanel } from '../../../ui/feedback/failure-panel.tsx';
import { ListSkeleton } from '../../../ui/loading/list-skeleton.tsx';
import { auditSearch, isFiltered } from './audit-search-params.ts';

const route = getRouteApi('/signed-in/security/audit');

export function AuditList() {
  const params = pageParams(auditSearch({ ...route.useSearch() }), usePagesWalked());
  const list = useCursorList({ params, result: useQuery(auditPageQuery(params)), pagesKey: AUDIT_PAGES_KEY });
  const { shown, failure, pending } = list;
  const filtered = isFiltered(params);
  return (
    <Stack gap="md">
      {failure !== undefined && <FailurePanel error={failure} onRetry={list.retry} />}
      {list.outdated && <FailurePanel error={TOO_OLD} onRetry={list.startAgain} />}
      {shown === undefined ? (
        pending && <ListSkeleton label="Loading the audit trail" rows={10} />
      ) : shown.page.rows.length === 0 ? (
        <Nothing filtered={filtered} />
      ) : (
        <>
          <Group justify="space-between" gap="sm">
            <PageLine
              status={pending ? 'Loading…' : formatPage(shown, { one: 'record', many: 'records' }, filtered)}
              total={false}
            />
            <Pager list={list} />
          </Group>
          <Paper withBorder>
            <RecordList label="Records, the latest first" records={shown.page.rows} busy={pending} />
          </Paper>
        </>
      )}
    </Stack>
  );
}

const TOO_OLD = new Error('This page link is too old. Start again from page 1.');

function Nothing({ filtered }: { filtered: boolean }) {
  const navigate = route.useNavigate();
  if (!filtered)
    return <EmptyState kind="no-data" title="No records yet" text="The first sign-in is the first record." />;
  return (
    <EmptyState
      kind="no-match"
      title="No record matches"
      text="Nothing recorded fits all of these filters."
      actions={
        <Button size="xs" variant="default" onClick={() => void navigate({ search: {} })}>
          Show everything
        </Button>
      }
    />
  );
}
