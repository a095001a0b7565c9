import { Button, Group, Paper, Stack, Text } from '@mantine/core';
import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { formatDevice } from '../../../shared/format-device.ts';
import { type Identity, identityQuery } from '../../api/identities.ts';
import {
  type IdentitySession,
  identitySessionsQuery,
  placesQuery,
  revokeSession,
  revokeSessions,
} from '../../api/sessions.ts';
import { counted, digits } from '../../lib/format-count.ts';
import { displayName } from '../../lib/identity-name.ts';
import { addressIn, addressWithoutPort, formatMethods, sessionState, WHILE_INACTIVE } from '../../lib/labels.ts';
import { useRecord } from '../../record/tabs.tsx';
import { ConfirmDialog, SESSIONS_STAY_ENDED } from '../../ui/confirm-dialog.tsx';
import { RelativeTime } from '../../ui/facts.tsx';
import { FailurePanel } from '../../ui/failure-panel.tsx';
import { useStaysTrue } from '../../ui/hooks.tsx';
import { LoadingRows } from '../../ui/loading.tsx';
import { StatePanel } from '../../ui/state-panel.tsx';
import { toast } from '../../ui/toasts.tsx';
import classes from './identities.module.css';

const PLACES_WAIT_MS = 1_500;

export function SessionsTab() {
  const identity = useRecord(identityQuery);
  const { data, error, refetch } = useInfiniteQuery(identitySessionsQuery(identity.id));
  const latest = data?.pages[0];
  const [revoking, setRevoking] = useState(false);
  const addresses = latest?.rows.flatMap((session) => addressOf(session) ?? []) ?? [];
  const { data: places, isLoading: placing } = useQuery(placesQuery([...new Set(addresses)].sort()));
  // The rows come with their places, unless these take long.
  const isShown = useStaysTrue(latest !== undefined && !placing, PLACES_WAIT_MS);
  if (error !== null) return <FailurePanel error={error} onRetry={() => void refetch()} />;
  if (latest === undefined || !isShown) {
    return <LoadingRows label="Loading the sessions" rows={3} height={56} />;
  }
  const { rows: sessions, total } = latest;
  if (sessions.length === 0) {
    return (
      <StatePanel kind="no-data" title="No sessions" text="Nobody is, or recently was, signed in as this identity." />
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

/**
 * "Chrome on macOS · Oslo, Norway · 2 hours ago" and the sign-in methods.
 * @param place the IP address stands in the place of an unknown one
 */
export function SessionRow(props: { identity: Identity; session: IdentitySession; place: string | undefined }) {
  const { identity, session, place } = props;
  const [ending, setEnding] = useState(false);
  const device = session.devices?.[0];
  const what = formatDevice(device?.user_agent);
  const address = addressWithoutPort(device?.ip_address);
  const state = sessionState(session, identity, Date.now());

  return (
    <li className={classes.item} data-ended={state !== 'active' || undefined}>
      <div>
        <Text size="sm" fw={500} title={device?.user_agent ?? undefined}>
          {what}
          {' · '}
          <span title={address}>{place ?? address ?? 'unknown address'}</span>
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
      </div>
      {state !== 'ended' && (
        <Button size="compact-sm" variant="default" aria-label={`End session: ${what}`} onClick={() => setEnding(true)}>
          End…
        </Button>
      )}
      {ending && <EndSession identity={identity} session={session} device={what} onClose={() => setEnding(false)} />}
    </li>
  );
}

/** @param device for example “Chrome on macOS” */
export function EndSession(props: {
  identity: Identity;
  session: IdentitySession;
  device: string;
  onClose: () => void;
}) {
  const { identity, session, device, onClose } = props;
  const queryClient = useQueryClient();
  return (
    <ConfirmDialog
      title={`End the session of ${displayName(identity)} on ${device}?`}
      consequences={[
        'The person is signed out there and has to sign in again. Other sessions continue.',
        'Tokens that applications already have stay valid until they expire.',
        SESSIONS_STAY_ENDED,
      ]}
      action="End the session"
      onClose={onClose}
      act={async () => {
        await revokeSession(session.id);
        await queryClient.invalidateQueries({ queryKey: identitySessionsQuery(identity.id).queryKey });
        toast('The session is ended');
        onClose();
      }}
    />
  );
}

export function RevokeSessions({ identity, onClose }: { identity: Identity; onClose: () => void }) {
  const queryClient = useQueryClient();
  return (
    <ConfirmDialog
      title={`End all sessions of ${displayName(identity)}?`}
      consequences={[
        'The person is signed out of the identity service in every browser and has to sign in again there.',
        'Tokens that applications already have stay valid until they expire. To end them as well, sign the person out everywhere.',
        SESSIONS_STAY_ENDED,
      ]}
      action="End all sessions"
      onClose={onClose}
      act={async () => {
        await revokeSessions(identity.id);
        await queryClient.invalidateQueries({ queryKey: identitySessionsQuery(identity.id).queryKey });
        toast('All sessions are ended');
        onClose();
      }}
    />
  );
}
