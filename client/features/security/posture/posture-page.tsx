import { Button, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { Posture } from '../../../../shared/security.ts';
import { postureQuery } from '../../../api/security.ts';
import { useCan } from '../../../api/session.ts';
import { formatPosture } from '../../../audit-view/format-posture.ts';
import { counted } from '../../../format/counted.ts';
import { EmptyState } from '../../../ui/feedback/empty-state.tsx';
import { FailurePanel } from '../../../ui/feedback/failure-panel.tsx';
import { IconRefresh } from '../../../ui/icons.ts';
import { LoadingRows } from '../../../ui/loading/loading-rows.tsx';
import { RelativeTime } from '../../../ui/relative-time.tsx';
import { CheckItem } from './check-item.tsx';
import { type CheckGroup, checksByStatus } from './checks-by-status.ts';
import classes from './posture.module.css';

/** Drawn for a moment also on the way to the first tab that is open: then it asks for nothing. */
export const PosturePage = () => useCan()('posture.read') && <OpenPosturePage />;

function OpenPosturePage() {
  const { data, error, isFetching, refetch } = useQuery(postureQuery);
  return (
    <Stack gap="lg" pt="md">
      {error !== null && (
        <FailurePanel
          error={error}
          {...(data !== undefined && { title: 'This may be out of date' })}
          onRetry={() => void refetch()}
        />
      )}
      {data === undefined ? (
        error === null && <PostureSkeleton />
      ) : (
        <>
          <Group justify="space-between" gap="xs">
            <Text size="sm" role="status">
              <strong>{formatPosture(data.checks)}</strong>, checked <RelativeTime at={data.as_of} />
            </Text>
            <Button
              size="xs"
              variant="default"
              leftSection={<IconRefresh size={14} />}
              loading={isFetching}
              onClick={() => void refetch()}
            >
              Check again
            </Button>
          </Group>
          <Checks posture={data} />
        </>
      )}
    </Stack>
  );
}

function Checks({ posture }: { posture: Posture }) {
  const groups = checksByStatus(posture.checks);
  if (groups.length === 0)
    return <EmptyState kind="no-data" title="No checks" text="The service reported no checks." />;
  return groups.map(({ title, checks, quiet }) => (
    <section key={title} aria-label={title}>
      <Title order={2} size="h4" mb="xs">
        {title}
      </Title>
      <Paper withBorder>
        {quiet ? (
          <details open={groups.length === 1}>
            <summary className={classes.folded}>
              Show {counted(checks.length, 'check', 'checks')} without findings
            </summary>
            <CheckList checks={checks} quiet />
          </details>
        ) : (
          <CheckList checks={checks} quiet={false} />
        )}
      </Paper>
    </section>
  ));
}

const CheckList = ({ checks, quiet }: Pick<CheckGroup, 'checks' | 'quiet'>) => (
  <ul className={classes.checks}>
    {checks.map((check) => (
      <CheckItem key={check.id} check={check} quiet={quiet} />
    ))}
  </ul>
);

const PostureSkeleton = () => <LoadingRows label="Loading the checks" rows={6} height={64} />;
