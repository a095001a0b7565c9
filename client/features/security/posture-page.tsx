import { Box, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { Posture, PostureCheck, PostureStatus } from '../../../shared/security.ts';
import { postureQuery } from '../../api/security.ts';
import { counted } from '../../lib/format-count.ts';
import { formatPosture, POSTURE_DOTS } from '../../lib/labels.ts';
import { SmallButton } from '../../ui/buttons.tsx';
import { FactList, RelativeTime, StatusDot } from '../../ui/facts.tsx';
import { LoadingRows } from '../../ui/loading.tsx';
import { QueryState } from '../../ui/query-state.tsx';
import { IconRefresh } from '../../ui/shell-icons.tsx';
import { StatePanel } from '../../ui/state-panel.tsx';
import classes from './security.module.css';

export function PosturePage() {
  const query = useQuery(postureQuery);
  return (
    <Stack gap="lg">
      <QueryState query={query} loading={<LoadingRows label="Loading the checks" rows={6} height={64} />}>
        {(data) => (
          <>
            <Group justify="space-between" gap="xs">
              <Text size="sm" role="status">
                <strong>{formatPosture(data.checks)}</strong>, checked <RelativeTime at={data.as_of} />
              </Text>
              <SmallButton
                leftSection={<IconRefresh size={14} />}
                loading={query.isFetching}
                onClick={() => void query.refetch()}
              >
                Check again
              </SmallButton>
            </Group>
            <Checks posture={data} />
          </>
        )}
      </QueryState>
    </Stack>
  );
}

function Checks({ posture }: { posture: Posture }) {
  const groups = GROUPS.map(({ statuses, ...group }) => ({
    ...group,
    checks: statuses.flatMap((status) => posture.checks.filter((check) => knownStatus(check) === status)),
  })).filter(({ checks }) => checks.length > 0);
  if (groups.length === 0)
    return <StatePanel kind="no-data" title="No checks" text="The service reported no checks." />;
  return groups.map(({ title, checks, folded }) => {
    const list = (
      <ul data-rows>
        {checks.map((check) => (
          <CheckItem key={check.id} check={check} folded={folded} />
        ))}
      </ul>
    );
    return (
      <section key={title} aria-label={title}>
        <Title order={2} mb="xs">
          {title}
        </Title>
        <Paper withBorder>
          {folded ? (
            <details open={groups.length === 1}>
              <summary className={classes.folded}>
                Show {counted(checks.length, 'check', 'checks')} without findings
              </summary>
              {list}
            </details>
          ) : (
            list
          )}
        </Paper>
      </section>
    );
  });
}

/** Worst first, and in the server's order within a group. Passing checks are folded: they need no action. */
const GROUPS: readonly { title: string; statuses: readonly PostureStatus[]; folded: boolean }[] = [
  { title: 'Needs attention', statuses: ['fail', 'warn'], folded: false },
  { title: 'Unknown', statuses: ['unknown'], folded: false },
  { title: 'Passing', statuses: ['pass'], folded: true },
];

const STATUS_WORDS: Record<PostureStatus, string> = {
  fail: 'Fails',
  warn: 'Warns',
  unknown: 'Unknown',
  pass: 'Passes',
};

/** A later release may add statuses. */
const knownStatus = ({ status }: PostureCheck): PostureStatus => (status in STATUS_WORDS ? status : 'unknown');

/** @param folded hides why the check matters until the operator opens it, and omits what to do */
function CheckItem({ check, folded }: { check: PostureCheck; folded: boolean }) {
  const { id, title, detail, why, action } = check;
  const status = knownStatus(check);
  return (
    <Stack component="li" id={id} gap={6} px="md" py="0.875rem">
      <Group justify="space-between" align="flex-start" wrap="nowrap">
        <Title order={3} size="sm" fw={600} flex={1}>
          {title}
        </Title>
        <StatusDot status={POSTURE_DOTS[status]}>{STATUS_WORDS[status]}</StatusDot>
      </Group>
      <Text size="sm">{detail}</Text>
      {folded ? (
        <Box component="details" c="dimmed" fz="xs">
          <summary>Why it matters</summary>
          <Text size="sm">{why}</Text>
        </Box>
      ) : (
        <Box maw="52rem">
          <FactList
            facts={[
              ['Why it matters', why],
              ['What to do', action],
            ]}
          />
        </Box>
      )}
    </Stack>
  );
}
