import { Button, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { Posture, PostureCheck, PostureStatus } from '../../../shared/security.ts';
import { postureQuery } from '../../api/security.ts';
import { useCan } from '../../api/session.ts';
import { formatPosture } from '../../audit/record-sentence.ts';
import { counted } from '../../lib/format-count.ts';
import { FactList, RelativeTime, StatusDot } from '../../ui/facts.tsx';
import { IconRefresh } from '../../ui/icons.tsx';
import { LoadingRows } from '../../ui/loading.tsx';
import { QueryState } from '../../ui/query-state.tsx';
import { StatePanel } from '../../ui/state-panel.tsx';
import classes from './security.module.css';

/** Drawn for a moment also on the way to the first tab that is open: then it asks for nothing. */
export const PosturePage = () => useCan()('posture.read') && <OpenPosturePage />;

function OpenPosturePage() {
  const query = useQuery(postureQuery);
  return (
    <Stack gap="lg" pt="md">
      <QueryState query={query} loading={<LoadingRows label="Loading the checks" rows={6} height={64} />}>
        {(data) => (
          <>
            <Group justify="space-between" gap="xs">
              <Text size="sm" role="status">
                <strong>{formatPosture(data.checks)}</strong>, checked <RelativeTime at={data.as_of} />
              </Text>
              <Button
                size="xs"
                variant="default"
                leftSection={<IconRefresh size={14} />}
                loading={query.isFetching}
                onClick={() => void query.refetch()}
              >
                Check again
              </Button>
            </Group>
            <Checks posture={data} />
          </>
        )}
      </QueryState>
    </Stack>
  );
}

function Checks({ posture }: { posture: Posture }) {
  const groups = checksByStatus(posture.checks);
  if (groups.length === 0)
    return <StatePanel kind="no-data" title="No checks" text="The service reported no checks." />;
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

/** @param quiet shows only the finding; the explanation opens on demand */
export function CheckItem({ check, quiet }: { check: PostureCheck; quiet: boolean }) {
  const { id, title, status, detail, why, action } = check;
  const { word, dot } = STATUS_WORDS[known(status)];
  return (
    <li id={id} className={classes.check}>
      <h3 className={classes.title}>{title}</h3>
      <span className={classes.status}>
        <StatusDot status={dot}>{word}</StatusDot>
      </span>
      <p className={classes.detail}>{detail}</p>
      {quiet ? (
        <details className={classes.more}>
          <summary>Why it matters</summary>
          <p>{why}</p>
        </details>
      ) : (
        <div className={classes.more}>
          <FactList
            facts={[
              ['Why it matters', why],
              ['What to do', action],
            ]}
          />
        </div>
      )}
    </li>
  );
}

export interface CheckGroup {
  title: string;
  checks: readonly PostureCheck[];
  /** Nothing to do about these: folded, and in short form. */
  quiet: boolean;
}

const GROUPS: readonly { title: string; holds: readonly PostureStatus[]; quiet: boolean }[] = [
  { title: 'Needs attention', holds: ['fail', 'warn'], quiet: false },
  { title: 'Unknown', holds: ['unknown'], quiet: false },
  { title: 'Passing', holds: ['pass'], quiet: true },
];

/** Worst first, and within a status in the server's order. An unknown status of a later release counts as unknown. */
export const checksByStatus = (checks: readonly PostureCheck[]): CheckGroup[] =>
  GROUPS.map(({ title, holds, quiet }) => ({
    title,
    quiet,
    checks: holds.flatMap((status) => checks.filter((check) => known(check.status) === status)),
  })).filter((group) => group.checks.length > 0);

export const known = (status: PostureStatus): PostureStatus => (status in STATUS_WORDS ? status : 'unknown');

export const STATUS_WORDS: Record<PostureStatus, { word: string; dot: 'good' | 'warning' | 'bad' | 'off' }> = {
  fail: { word: 'Fails', dot: 'bad' },
  warn: { word: 'Warns', dot: 'warning' },
  unknown: { word: 'Unknown', dot: 'off' },
  pass: { word: 'Passes', dot: 'good' },
};
