import { Badge, Group, SimpleGrid, Stack } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { ComponentType, ReactNode } from 'react';
import { formatDevice } from '../../../shared/format-device.ts';
import { isUuid } from '../../../shared/json.ts';
import { type IdentitySession, placesQuery } from '../../api/sessions.ts';
import { identifierOf, nameOf } from '../../lib/identity-name.ts';
import {
  addressIn,
  addressWithoutPort,
  formatMethods,
  formatPlace,
  SESSION_STATES,
  WHILE_INACTIVE,
} from '../../lib/session-labels.ts';
import { ActionMenu } from '../../record/actions.tsx';
import { recordPage } from '../../record/record-page.tsx';
import { CopyableFact, HeadingFacts, useRecord } from '../../record/tabs.tsx';
import { FactList, RelativeTime } from '../../ui/facts.tsx';
import { FailureNote } from '../../ui/failure-panel.tsx';
import { useSingleFlight } from '../../ui/hooks.tsx';
import { IconClockPlus } from '../../ui/icons.tsx';
import { PageHeading, Section, TextLink } from '../../ui/layout.tsx';
import { IdentityLink } from '../../ui/person.tsx';
import { IconLogout, IconUserX } from '../../ui/shell-icons.tsx';
import { toast } from '../../ui/toasts.tsx';
import { EndAllSessions, EndSession, extendSession, sessionsChanged } from './session-dialogs.tsx';
import { rowOf, sessionPageQuery, sessionPath, sessionRecordQuery } from './session-queries.ts';
import { SESSIONS, sessionName } from './session-resource.ts';

export const SessionPage: ComponentType = recordPage(SESSIONS, {
  query: sessionRecordQuery,
  list: sessionPageQuery,
  isId: isUuid,
  header: (session) => <SessionHeader session={session} />,
  tabs: [['', 'Overview', OverviewTab]],
  json: { about: 'As the identity service returned it.', value: asReturned },
});

/** The stored session, without the property that the app adds. */
function asReturned({ ended: _, ...session }: IdentitySession): unknown {
  return session;
}

function SessionHeader({ session }: { session: IdentitySession }) {
  const { id, active } = session;
  const row = rowOf(session);
  return (
    <PageHeading
      title={sessionName(row)}
      about={
        <HeadingFacts>
          <Badge component="span" variant={active ? 'light' : 'default'}>
            {SESSION_STATES[row.state].label}
          </Badge>
          <CopyableFact what="session ID" text={id} />
        </HeadingFacts>
      }
      actions={<SessionMenu session={session} />}
    />
  );
}

const END = 'sessions.end' as const;

/**
 * An ended session cannot be ended again, but the other sessions of its owner can, even if the owner is inactive.
 * Extending a session needs no confirmation, because it loses nothing. A failure appears below.
 */
function SessionMenu({ session }: { session: IdentitySession }) {
  const { id } = session;
  const queryClient = useQueryClient();
  const { run, failure } = useSingleFlight();
  const extend = () =>
    void run(async () => {
      const refusal = await extendSession(id);
      await sessionsChanged(queryClient, [{ id, identityId: undefined }]);
      if (refusal !== undefined) throw new Error(refusal);
      toast('Extended the session');
    });
  const { state } = rowOf(session);
  return (
    <Stack gap={4} align="flex-end" maw="22rem">
      <Group gap="xs">
        <ActionMenu
          subject={{ session }}
          copy={{ path: sessionPath(id), value: asReturned(session) }}
          actions={[
            ...(state !== 'ended'
              ? [{ label: 'End session…', icon: IconLogout, needs: END, beside: 'main' as const, dialog: EndSession }]
              : []),
            ...(session.active ? [{ label: 'Extend session', icon: IconClockPlus, act: extend }] : []),
            ...(session.identity
              ? [{ label: 'End all sessions…', icon: IconUserX, needs: END, dialog: EndAllSessions }]
              : []),
          ]}
        />
      </Group>
      <FailureNote error={failure} />
    </Stack>
  );
}

function OverviewTab() {
  const session = useRecord(sessionRecordQuery);
  const { identity } = session;
  const devices = session.devices ?? [];
  const addresses = [...new Set(devices.flatMap(({ ip_address }) => addressIn(ip_address) ?? []))];
  const { data: places } = useQuery(placesQuery(addresses));
  const facts: [string, ReactNode][] = [
    [
      'Person',
      identity ? (
        <IdentityLink key="identity" name={nameOf(identity)} identifier={identifierOf(identity)} id={identity.id} />
      ) : (
        'unknown'
      ),
    ],
    ['Signed in', <RelativeTime key="signed-in" at={session.authenticated_at} />],
    ['Method', formatMethods(session.authentication_methods)],
    ['Assurance', session.authenticator_assurance_level ?? 'unknown'],
    ['Issued', <RelativeTime key="issued" at={session.issued_at} />],
    [
      rowOf(session).state === 'ended' ? 'Would have ended' : 'Ends',
      <RelativeTime key="ends" at={session.expires_at} />,
    ],
  ];
  return (
    <SimpleGrid cols={{ base: 1, lg: 2 }}>
      <Section title="At a glance" about={rowOf(session).state === 'identity-inactive' ? WHILE_INACTIVE : undefined}>
        <FactList facts={facts} />
      </Section>
      <Section title={devices.length > 1 ? 'Devices' : 'Device'}>
        {devices.length === 0
          ? 'No device recorded.'
          : devices.map((device) => {
              const address = addressIn(device.ip_address);
              const linked = address && (
                <TextLink inherit to="/sessions" search={{ ip: address } as never}>
                  {address}
                </TextLink>
              );
              const place = places === undefined ? undefined : (places.get(address ?? '') ?? null);
              return (
                <FactList
                  key={device.id}
                  facts={[
                    ['Device', formatDevice(device.user_agent)],
                    ['Location', formatPlace(place, address)],
                    ['IP address', linked ?? addressWithoutPort(device.ip_address) ?? 'unknown'],
                    ['User agent', device.user_agent ?? 'none'],
                  ]}
                />
              );
            })}
      </Section>
    </SimpleGrid>
  );
}
