import { Box, Group, Paper, Stack, Text } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { formatDevice } from '../../../shared/format-device.ts';
import type { IdentityCredential } from '../../../shared/identity-credentials.ts';
import { type Identity, identityQuery } from '../../api/identities.ts';
import {
  type CredentialItem,
  credentialItems,
  credentialName,
  identityCredentialsQuery,
  SECOND_FACTORS,
} from '../../api/identity-credentials.ts';
import type { ListedMessage } from '../../api/messages.ts';
import { type IdentitySession, identitySessionsQuery, placesQuery } from '../../api/sessions.ts';
import { counted, digits } from '../../lib/format-count.ts';
import { formatChannel, formatTemplate, messageStatus } from '../../lib/labels.ts';
import {
  addressIn,
  addressWithoutPort,
  formatMethods,
  sessionState,
  WHILE_INACTIVE,
} from '../../lib/session-labels.ts';
import { visibleText } from '../../lib/visible-text.ts';
import { WriteButton } from '../../record/actions.tsx';
import { useRecord } from '../../record/tabs.tsx';
import { RelativeTime, StatusDot } from '../../ui/facts.tsx';
import { FailurePanel } from '../../ui/failure-panel.tsx';
import { useStaysTrue } from '../../ui/hooks.tsx';
import { Dimmed, TextLink } from '../../ui/layout.tsx';
import { LoadingRows } from '../../ui/loading.tsx';
import { QueryState } from '../../ui/query-state.tsx';
import { StatePanel } from '../../ui/state-panel.tsx';
import { useLatestMessages } from '../sign-in-diagnosis/evidence.ts';
import { IdentityDialog } from './identity-actions.tsx';

export function CredentialsTab() {
  const identity = useRecord(identityQuery);
  const query = useQuery(identityCredentialsQuery(identity.id));
  return (
    <Stack gap="xs">
      <QueryState query={query} loading={<LoadingRows label="Loading the credentials" height={120} />}>
        {(credentials) => <Credentials identity={identity} credentials={credentials} />}
      </QueryState>
    </Stack>
  );
}

function Credentials({ identity, credentials }: { identity: Identity; credentials: readonly IdentityCredential[] }) {
  const [deleting, setDeleting] = useState<CredentialItem>();
  const items = credentialItems(credentials);
  // Kratos also lists types that are not set up but that the schema allows.
  const notSet = credentials.filter(({ set }) => !set).map(({ type }) => credentialName(type));
  return (
    <>
      {items.length === 0 ? (
        <StatePanel
          kind="no-data"
          title="No credentials"
          text="The person cannot sign in. With a recovery code or link, they can set up credentials."
        />
      ) : (
        <Paper component="ul" withBorder data-rows aria-label="Credentials">
          {items.map((item) => (
            <CredentialRow
              key={`${item.credential.type} ${item.identifier}`}
              item={item}
              onDelete={() => setDeleting(item)}
            />
          ))}
        </Paper>
      )}
      {notSet.length > 0 && <Dimmed>Possible, but not set up: {notSet.join(', ')}.</Dimmed>}
      <Dimmed size="xs">Hashes, seeds and tokens are never sent to this browser.</Dimmed>
      {deleting !== undefined && (
        <IdentityDialog
          act="deleteCredential"
          identity={identity}
          item={deleting}
          onClose={() => setDeleting(undefined)}
        />
      )}
    </>
  );
}

function CredentialRow({ item, onDelete }: { item: CredentialItem; onDelete: () => void }) {
  const { credential, identifier } = item;
  const { keys = [] } = credential;
  const name = credentialName(credential.type);
  const identifiers = identifier ?? credential.identifiers.join(', ');
  return (
    <Group component="li" gap="0.5rem 1rem" px="md" py="sm">
      <Box flex="1 1 12rem" miw={0}>
        <Text size="sm" fw={500}>
          {name}
          {keys.length > 1 && `, ${counted(keys.length, 'key', 'keys')}`}
          {identifiers !== '' && (
            <>
              {' · '}
              <bdi>{identifiers}</bdi>
            </>
          )}
        </Text>
        <Dimmed size="xs">
          Created <RelativeTime at={credential.created_at} />, updated <RelativeTime at={credential.updated_at} />
        </Dimmed>
        {keys.length > 0 && (
          <Box
            component="ul"
            m="0.25rem 0 0"
            p="0 0 0 1.25rem"
            fz="xs"
            aria-label={`${name}: ${counted(keys.length, 'key', 'keys')}`}
          >
            {keys.map((key, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: names may be duplicates
              <li key={index}>
                {key.name === null ? 'Unnamed' : <bdi>{visibleText(key.name)}</bdi>}, added{' '}
                <RelativeTime at={key.added_at} />
              </li>
            ))}
          </Box>
        )}
      </Box>
      {credential.deletable ? (
        <WriteButton
          needs={SECOND_FACTORS.has(credential.type) ? 'second-factors.remove' : 'upstreams.write'}
          aria-label={`Delete ${name}${identifier === undefined ? '' : ` ${identifier}`}`}
          onClick={onDelete}
        >
          Delete…
        </WriteButton>
      ) : (
        <Dimmed size="xs">
          {credential.type === 'code' ? 'Removed with the address' : 'Only the person can remove it'}
        </Dimmed>
      )}
    </Group>
  );
}

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
        <Dimmed role="status">{formatSessions(sessions, total)}</Dimmed>
        <WriteButton needs="sessions.end" onClick={() => setEnding(true)}>
          End all sessions…
        </WriteButton>
      </Group>
      {identity.state === 'inactive' && <Dimmed>{WHILE_INACTIVE}</Dimmed>}
      <Paper component="ul" withBorder data-rows>
        {sessions.map((session) => (
          <SessionRow
            key={session.id}
            identity={identity}
            session={session}
            location={locations?.get(addressOf(session) ?? '')}
          />
        ))}
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
      {/* On a wide screen, the button stays near its session. */}
      <Box flex="1 1 12rem" miw={0} maw="34rem">
        <Text size="sm" fw={500} title={device?.user_agent ?? undefined}>
          {what}
          {' · '}
          <span title={address}>{location ?? address ?? 'unknown address'}</span>
          {' · '}
          <RelativeTime at={session.authenticated_at} />
        </Text>
        <Dimmed size="xs">
          {formatMethods(session.authentication_methods)}
          {state === 'ended' ? (
            ' · no longer active'
          ) : (
            <>
              {state === 'identity-inactive' ? ' · person inactive · would end ' : ' · ends '}
              <RelativeTime at={session.expires_at} />
            </>
          )}
        </Dimmed>
      </Box>
      {state !== 'ended' && (
        <WriteButton needs="sessions.end" aria-label={`End session: ${what}`} onClick={() => setEnding(true)}>
          End…
        </WriteButton>
      )}
      {ending && (
        <IdentityDialog act="endSession" identity={identity} session={session} onClose={() => setEnding(false)} />
      )}
    </Group>
  );
}

export function MessagesTab() {
  const identity = useRecord(identityQuery);
  const { addresses, results, messages, complete, more } = useLatestMessages(identity);
  if (addresses.length === 0)
    return <StatePanel kind="no-data" title="No address" text="This identity has no address to send messages to." />;
  const failed = results.flatMap(({ error, refetch }, index) =>
    error === null ? [] : [{ address: addresses[index] ?? '', error, refetch }],
  );
  return (
    <Stack gap="sm">
      {failed.map(({ address, error, refetch }) => (
        <FailurePanel
          key={address}
          error={error}
          title={`The messages to ${visibleText(address)} are unavailable`}
          onRetry={() => void refetch()}
        />
      ))}
      {messages.length > 0 ? (
        <Paper component="ul" withBorder data-rows aria-label="Messages">
          {messages.map((message) => (
            <MessageRow key={message.id} message={message} />
          ))}
        </Paper>
      ) : complete ? (
        <StatePanel
          kind="no-data"
          title="No messages"
          text={`Nothing has been sent to ${visibleText(addresses.join(' or '))} recently.`}
        />
      ) : (
        results.some(({ isPending }) => isPending) && <LoadingRows label="Loading the messages" rows={3} height={56} />
      )}
      {more.map((recipient) => (
        <Group key={recipient}>
          <TextLink size="sm" to="/messages" search={{ recipient }}>
            Older messages to <bdi>{visibleText(recipient)}</bdi>
          </TextLink>
        </Group>
      ))}
      <Dimmed size="xs">
        Messages to the identity’s current addresses. Those to earlier addresses are on the Messages page.
      </Dimmed>
    </Stack>
  );
}

function MessageRow({ message }: { message: ListedMessage }) {
  const { id, template, channel, recipient, status, attempts, created } = message;
  const { dot, label } = messageStatus(status, attempts);
  return (
    <Group component="li" gap="0.5rem 1rem" px="md" py="sm">
      <Box flex="1 1 12rem" miw={0}>
        <Text size="sm" fw={500} component="div">
          <TextLink inherit to="/messages/$id" params={{ id }}>
            {visibleText(formatTemplate(template))}
          </TextLink>
          {' · '}
          <RelativeTime at={created} />
        </Text>
        <Dimmed size="xs">
          {visibleText(formatChannel(channel))} to <bdi>{visibleText(recipient)}</bdi>
        </Dimmed>
      </Box>
      <StatusDot status={dot}>{visibleText(label)}</StatusDot>
    </Group>
  );
}
