import { Box, Button, Group, Paper, Stack, Text } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { formatDevice } from '../../../shared/format-device.ts';
import { type Identity, identityQuery } from '../../api/identities.ts';
import { type IdentitySession, identitySessionsQuery, placesQuery } from '../../api/sessions.ts';
import { counted, digits } from '../../lib/format-count.ts';
import {
  addressIn,
  addressWithoutPort,
  formatMethods,
  sessionState,
  WHILE_INACTIVE,
} from '../../lib/session-labels.ts';
import { useRecord } from '../../record/tabs.tsx';
import { RelativeTime } from '../../ui/facts.tsx';
import { useStaysTrue } from '../../ui/hooks.tsx';
import { LoadingRows } from '../../ui/loading.tsx';
import { QueryState } from '../../ui/query-state.tsx';
import { StatePanel } from '../../ui/state-panel.tsx';
import { IdentityDialog } from './identity-actions.tsx';

const LOCATIONS_WAIT_MS = 1_500;

export function SessionsTab() {
  const identity = useRecord(identityQuery);
  const query = useInfiniteQuery(identitySessionsQuery(identity.id));
  const latest = query.data?.pages[0];
  const addresses = latest?.rows.flatMap((session) => addressOf(session) ?? []) ?? [];
  const { data: locations, isLoading: locating } = useQuery(placesQuery([...new Set(addresses)].sort()));
  // Rows wait briefly for their locations, to avoid a layout shift.
  const isShown = useStaysTrue(latest !== undefined && !locating, LOCATIONS_WAIT_MS);
  return (
    <Stack gap="sm">
      <QueryState
        query={{ ...query, data: isShown ? latest : undefined }}
        loading={<LoadingRows label="Loading the sessions" rows={3} height={56} />}
      >
        {(page) => <Sessions identity={identity} page={page} locations={locations} />}
      </QueryState>
    </Stack>
  );
}

function Sessions(props: {
  identity: Identity;
  page: { rows: readonly IdentitySession[]; total: number };
  locations: ReadonlyMap<string, string> | undefined;
}) {
  const { identity, locations } = props;
  const { rows: sessions, total } = props.page;
  const [ending, setEnding] = useState(false);
  if (sessions.length === 0)
    return <StatePanel kind="no-data" title="No sessions" text="This person is not signed in anywhere." />;
  return (
    <>
      <Group justify="space-between">
        <Text size="sm" c="dimmed" role="status">
          {formatSessions(sessions, total)}
        </Text>
        <Button size="xs" variant="default" onClick={() => setEnding(true)}>
          End all sessions…
        </Button>
      </Group>
      {identity.state === 'inactive' && (
        <Text size="sm" c="dimmed">
          {WHILE_INACTIVE}
        </Text>
      )}
      <Paper withBorder>
        <ul data-rows>
          {sessions.map((session) => (
            <SessionRow
              key={session.id}
              identity={identity}
              session={session}
              location={locations?.get(addressOf(session) ?? '')}
            />
          ))}
        </ul>
      </Paper>
      {ending && <IdentityDialog act="endSessions" identity={identity} onClose={() => setEnding(false)} />}
    </>
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

/** "Chrome on macOS · Oslo, Norway · 2 hours ago", with the IP address if the location is unknown. */
function SessionRow(props: { identity: Identity; session: IdentitySession; location: string | undefined }) {
  const { identity, session, location } = props;
  const [ending, setEnding] = useState(false);
  const device = session.devices?.[0];
  const what = formatDevice(device?.user_agent);
  const address = addressWithoutPort(device?.ip_address);
  const state = sessionState(session, identity, Date.now());

  return (
    <Group component="li" gap="0.5rem 1rem" px="md" py="sm" c={state === 'active' ? undefined : 'dimmed'}>
      <Box flex="1 1 12rem" miw={0}>
        <Text size="sm" fw={500} title={device?.user_agent ?? undefined}>
          {what}
          {' · '}
          <span title={address}>{location ?? address ?? 'unknown address'}</span>
          {' · '}
          <RelativeTime at={session.authenticated_at} />
        </Text>
        <Text size="xs" c="dimmed">
          {formatMethods(session.authentication_methods)}
          {state === 'ended' ? (
            ' · no longer active'
          ) : (
            <>
              {state === 'person-inactive' ? ' · person inactive · would end ' : ' · ends '}
              <RelativeTime at={session.expires_at} />
            </>
          )}
        </Text>
      </Box>
      {state !== 'ended' && (
        <Button size="xs" variant="default" aria-label={`End session: ${what}`} onClick={() => setEnding(true)}>
          End…
        </Button>
      )}
      {ending && (
        <IdentityDialog act="endSession" identity={identity} session={session} onClose={() => setEnding(false)} />
      )}
    </Group>
  );
}
