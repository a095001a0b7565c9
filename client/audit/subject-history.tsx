import { Anchor, Button, Group, Paper, Stack, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { AuditRecord, AuditSubject } from '../../shared/audit.ts';
import { historyQuery } from '../api/audit.ts';
import { useCan } from '../api/session.ts';
import { FailurePanel } from '../ui/failure-panel.tsx';
import { LoadingRows } from '../ui/loading.tsx';
import { NoAccessPanel, StatePanel } from '../ui/state-panel.tsx';
import { RecordList } from './record-list.tsx';

/**
 * A subject's audit records.
 * @param nothing a sentence that explains why there may be none
 * @param action what can be done about one of the records that are shown, the newest first
 */
export function SubjectHistory(props: HistoryProps) {
  return useCan()('audit.read') ? <OpenHistory {...props} /> : <NoAccessPanel />;
}

interface HistoryProps {
  subject: AuditSubject;
  nothing: string;
  action?: (record: AuditRecord, records: readonly AuditRecord[]) => ReactNode;
}

function OpenHistory({ subject, nothing, action }: HistoryProps) {
  const { data, error, isFetching, hasNextPage, fetchNextPage, refetch } = useInfiniteQuery(historyQuery(subject));
  const records = data?.pages.flatMap(({ rows }) => rows);
  const retry = () => void (data === undefined ? refetch() : fetchNextPage());
  return (
    <Stack gap="sm">
      <Group justify="space-between" gap="xs">
        <Text size="sm" c="dimmed">
          The audit trail shows who did what and when. It never contains values.
        </Text>
        <Anchor component={Link} size="sm" to="/security/audit" search={{ subject } as never} preload={false}>
          Open in the audit trail
        </Anchor>
      </Group>
      {records === undefined ? (
        error === null && <HistorySkeleton />
      ) : records.length === 0 ? (
        <StatePanel kind="no-data" title="Nothing recorded" text={nothing} />
      ) : (
        <Paper withBorder>
          <RecordList
            label="History, the latest first"
            records={records}
            busy={isFetching}
            action={action && ((record) => action(record, records))}
          />
        </Paper>
      )}
      {error !== null && <FailurePanel error={error} onRetry={retry} />}
      {error === null && hasNextPage && (
        <Group>
          <Button variant="default" size="xs" loading={isFetching} onClick={() => void fetchNextPage()}>
            Show older records
          </Button>
        </Group>
      )}
    </Stack>
  );
}

const HistorySkeleton = () => <LoadingRows label="Loading the history" rows={3} height={44} />;
