import { Badge, Group, Skeleton, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { type Identity, identityQuery, type VerifiableAddress } from '../../api/identities.ts';
import { credentialName, identityCredentialsQuery } from '../../api/identity-credentials.ts';
import { useCan } from '../../api/session.ts';
import { Cards, Columns, CopyableFact, useRecord } from '../../record/tabs.tsx';
import { FactList, RelativeTime } from '../../ui/facts.tsx';
import { useStaysTrue } from '../../ui/hooks.tsx';
import { Section } from '../../ui/layout.tsx';
import { lazyPart } from '../../ui/lazy-part.tsx';
import { LoadingRows } from '../../ui/loading.tsx';
import { CanTheySignIn } from '../sign-in-diagnosis/can-they-sign-in.tsx';
import { useEvidence } from '../sign-in-diagnosis/evidence.ts';
import { HelpButton } from './identity-actions.tsx';
import { formatState } from './identity-resource.ts';
import { TraitList } from './traits-tab.tsx';

const LatestOfPerson = lazyPart(
  () => import('./person-timeline.tsx'),
  'LatestOfPerson',
  <LoadingRows label="Loading the latest events" rows={6} height={52} />,
);

/** After this delay, the page renders without the sources that are still loading. */
const WAIT_MS = 1_500;

export function OverviewTab() {
  const identity = useRecord(identityQuery);
  const diagnosis = useEvidence(identity);
  const isReady = useStaysTrue(diagnosis.isSettled, WAIT_MS);
  const { verifiable_addresses: addresses = [], external_id: externalId, organization_id: organizationId } = identity;
  const facts: [string, ReactNode][] = [
    [
      'State',
      <>
        {formatState(identity.state)}
        {identity.state_changed_at !== undefined && (
          <>
            , changed <RelativeTime at={identity.state_changed_at} />
          </>
        )}
      </>,
    ],
    ['Schema', identity.schema_id],
    ['Signs in with', <SignsInWith key="credentials" id={identity.id} />],
    ['Created', <RelativeTime key="created" at={identity.created_at} />],
    ['Updated', <RelativeTime key="updated" at={identity.updated_at} />],
  ];
  if (externalId) facts.push(['External ID', <CopyableFact key="external" what="external ID" text={externalId} />]);
  if (typeof organizationId === 'string' && organizationId !== '')
    facts.push(['Organization', <CopyableFact key="organization" what="organization ID" text={organizationId} />]);
  return (
    <Columns
      wide="first"
      first={
        <>
          <CanTheySignIn {...diagnosis} isReady={isReady} HelpButton={HelpButton} />
          {/* Rendered together with the diagnosis above, to avoid a layout shift. */}
          {isReady && (
            <>
              <Cards>
                <Section title="At a glance">
                  <FactList facts={facts} />
                </Section>
                <Section title="Traits">
                  <TraitList identity={identity} />
                </Section>
              </Cards>
              <Section title="Addresses">
                {addresses.length === 0 ? (
                  <Text size="sm" c="dimmed">
                    This identity has no verifiable addresses.
                  </Text>
                ) : (
                  <Stack gap={6}>
                    {addresses.map((address) => (
                      <Address key={`${address.via} ${address.value}`} identity={identity} address={address} />
                    ))}
                  </Stack>
                )}
              </Section>
            </>
          )}
        </>
      }
      second={isReady && <LatestOfPerson />}
    />
  );
}

/** If credentials cannot be loaded, the Credentials tab shows the error. */
function SignsInWith({ id }: { id: string }) {
  const { data: credentials, error } = useQuery(identityCredentialsQuery(id));
  if (credentials !== undefined)
    return (
      credentials
        .filter(({ set }) => set)
        .map(({ type }) => credentialName(type))
        .join(', ') || 'none'
    );
  return error === null ? (
    <Skeleton height={14} mt={4} width="8rem" role="status" aria-busy aria-label="Loading" />
  ) : (
    'unknown'
  );
}

function Address({ identity, address }: { identity: Identity; address: VerifiableAddress }) {
  const may = useCan();
  return (
    <Group gap="xs">
      <Text size="sm">{address.value}</Text>
      <Badge variant={address.verified ? 'light' : 'default'}>{address.verified ? 'Verified' : 'Not verified'}</Badge>
      {address.verified && typeof address.verified_at === 'string' && (
        <Text size="xs" c="dimmed">
          <RelativeTime at={address.verified_at} />
        </Text>
      )}
      {!address.verified && may('upstreams.write') && (
        <HelpButton identity={identity} help={{ act: 'verify', address }} about={address.value} />
      )}
    </Group>
  );
}
