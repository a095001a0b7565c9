import { Button, Group, Paper, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type IdentitySession, identitySessionsQuery, SESSIONS_SHOWN_MAX } from '../../../api/identities-sessions.ts';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { FailurePanel } from '../../../ui/failure-panel.tsx';
import { LoadingRows } from '../../../ui/loading-rows.tsx';
import { WHILE_INACTIVE } from '../../../wording/session-state-in-words.ts';
import { useLoadedIdentity } from '../use-loaded-identity.ts';
import classes from './plain-list.module.css';
import { RevokeSessions } from './revoke-sessions.tsx';
import { SessionRow } from './session-row.tsx';

export function SessionsTab() {
  const identity = useLoadedIdentity();
  const { data: sessions, error, refetch } = useQuery(identitySessionsQuery(identity.id));
  const [revoking, setRevoking] = useState(false);
  if (error !== null) return <FailurePanel error={error} onRetry={() => void refetch()} />;
  if (sessions === undefined) {
    return <LoadingRows label="Loading the sessions" rows={3} height={56} />;
  }
  if (sessions.length === 0) {
    return (
      <EmptyState kind="no-data" title="No sessions" text="Nobody is, or recently was, signed in as this identity." />
    );
  }
  return (
    <Stack gap="sm">
      <Group justify="space-between">
        <Text size="sm" c="dimmed" role="status">
          {sessionsInWords(sessions)}
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
            <SessionRow key={session.id} identity={identity} session={session} />
          ))}
        </ul>
      </Paper>
      {revoking && <RevokeSessions identity={identity} onClose={() => setRevoking(false)} />}
    </Stack>
  );
}

function sessionsInWords(sessions: readonly IdentitySession[]): string {
  const active = sessions.filter((session) => session.active).length;
  const all = sessions.length >= SESSIONS_SHOWN_MAX ? `The newest ${sessions.length}` : `${sessions.length}`;
  return `${all} ${sessions.length === 1 ? 'session' : 'sessions'}, ${active} active`;
}
