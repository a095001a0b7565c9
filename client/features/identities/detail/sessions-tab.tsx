import { Button, Group, Paper, Stack, Text } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { identityQuery } from '../../../api/identities-record.ts';
import { identitySessionsQuery } from '../../../api/identities-sessions.ts';
import type { IdentitySession } from '../../../api/identity-session.ts';
import { placesQuery } from '../../../api/places.ts';
import { counted, digits } from '../../../format/counted.ts';
import { addressIn } from '../../../format/network-address.ts';
import { WHILE_INACTIVE } from '../../../format/session-state-label.ts';
import { useRecord } from '../../../resource/detail/use-record.tsx';
import { EmptyState } from '../../../ui/feedback/empty-state.tsx';
import { FailurePanel } from '../../../ui/feedback/failure-panel.tsx';
import { useOnce } from '../../../ui/hooks/use-once.ts';
import { LoadingRows } from '../../../ui/loading/loading-rows.tsx';
import classes from './plain-list.module.css';
import { RevokeSessions } from './revoke-sessions.tsx';
import { SessionRow } from './session-row.tsx';

const PLACES_WAIT_MS = 1_500;

export function SessionsTab() {
  const identity = useRecord(identityQuery);
  const { data, error, refetch } = useInfiniteQuery(identitySessionsQuery(identity.id));
  const latest = data?.pages[0];
  const [revoking, setRevoking] = useState(false);
  const addresses = latest?.rows.flatMap((session) => addressOf(session) ?? []) ?? [];
  const { data: places, isLoading: placing } = useQuery(placesQuery([...new Set(addresses)].sort()));
  // The rows come with their places, unless these take long.
  const isShown = useOnce(latest !== undefined && !placing, PLACES_WAIT_MS);
  if (error !== null) return <FailurePanel error={error} onRetry={() => void refetch()} />;
  if (latest === undefined || !isShown) {
    return <LoadingRows label="Loading the sessions" rows={3} height={56} />;
  }
  const { rows: sessions, total } = latest;
  if (sessions.length === 0) {
    return (
      <EmptyState kind="no-data" title="No sessions" text="Nobody is, or recently was, signed in as this identity." />
    );
  }
  return (
    <Stack gap="sm">
      <Group justify="space-between">
        <Text size="sm" c="dimmed" role="status">
          {formatSessions(sessions, total)}
        </Text>
        <Button size="xs" variant="default" onClick={() => setRevoking(true)}>
          End all sessions…
        </Button>
      </Group>
      {identity.state === 'inactive' && (
        <Text size="sm" c="dimmed">
          {WHILE_INACTIVE}
        </Text>
      )}
      <Paper withBorder>
        <ul className={classes.list}>
          {sessions.map((session) => (
            <SessionRow
              key={session.id}
              identity={identity}
              session={session}
              place={places?.get(addressOf(session) ?? '')}
            />
          ))}
        </ul>
      </Paper>
      {revoking && <RevokeSessions identity={identity} onClose={() => setRevoking(false)} />}
    </Stack>
  );
}

const addressOf = ({ devices }: IdentitySession): string | undefined => addressIn(devices?.[0]?.ip_address);

/** `3 sessions, 2 active`, `The latest 250 of 1,203 sessions, 17 of them active` */
function formatSessions(sessions: readonly IdentitySession[], total: number): string {
  const active = digits(sessions.filter((session) => session.active).length);
  const all = counted(total, 'session', 'sessions');
  return sessions.length < total
    ? `The latest ${sessions.length} of ${all}, ${active} of them active`
    : `${all}, ${active} active`;
}
