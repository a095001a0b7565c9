import { Badge, Group, Skeleton, Stack, Text } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useMatchRoute } from '@tanstack/react-router';
import type { ComponentType, ReactNode } from 'react';
import { isUuid } from '../../../shared/json.ts';
import { consentsQuery } from '../../api/consents.ts';
import { type Identity, identityQuery, type VerifiableAddress } from '../../api/identities.ts';
import { credentialItems, credentialName, identityCredentialsQuery } from '../../api/identity-credentials.ts';
import { notesQuery } from '../../api/notes.ts';
import { useCan } from '../../api/session.ts';
import { identitySessionsQuery } from '../../api/sessions.ts';
import { hasApplications } from '../../deployment.ts';
import { digits } from '../../lib/format-count.ts';
import { identifierOf, nameOf } from '../../lib/identity-name.ts';
import { visibleText } from '../../lib/visible-text.ts';
import { recordPage } from '../../record/record-page.tsx';
import { Cards, Columns, CopyableFact, HeadingFacts, type TabCounts, useRecord } from '../../record/tabs.tsx';
import { LinkButton } from '../../ui/buttons.tsx';
import { FactList, RelativeTime } from '../../ui/facts.tsx';
import { useStaysTrue } from '../../ui/hooks.tsx';
import { IconPencil } from '../../ui/icons.tsx';
import { Dimmed, PageHeading, Section } from '../../ui/layout.tsx';
import { lazyPart } from '../../ui/lazy-part.tsx';
import { LoadingRows } from '../../ui/loading.tsx';
import { CanTheySignIn } from '../sign-in-diagnosis/can-they-sign-in.tsx';
import { useEvidence, useLatestMessages } from '../sign-in-diagnosis/evidence.ts';
import { HelpButton, IdentityMenu } from './identity-actions.tsx';
import { formatState, foundPageQuery, IDENTITIES } from './identity-resource.ts';
import { CredentialsTab, MessagesTab, SessionsTab } from './identity-tabs.tsx';
import { TraitList, TraitsTab } from './traits-tab.tsx';

const ChangedByOther = lazyPart(() => import('../../record/timeline-sources.tsx'), 'ChangedByOther', null);
const Timeline = lazyPart(
  () => import('./identity-timeline.tsx'),
  'IdentityTimeline',
  <LoadingRows label="Loading the timeline" rows={6} height={52} />,
);

export const IdentityPage: ComponentType = recordPage(IDENTITIES, {
  query: identityQuery,
  list: foundPageQuery,
  isId: isUuid,
  header: (identity) => <IdentityHeader identity={identity} />,
  tabs: [
    ['', 'Overview', OverviewTab],
    ['/traits', 'Traits and metadata', TraitsTab],
    ['/credentials', 'Credentials', CredentialsTab],
    ['/sessions', 'Sessions', SessionsTab],
    ['/consents', 'Consents'],
    ['/messages', 'Messages', MessagesTab],
    ['/history', 'Timeline', Timeline],
  ],
  useCounts: useTabCounts,
  json: { about: 'As the identity service returned it, without credential secrets.' },
});

function IdentityHeader({ identity }: { identity: Identity }) {
  const { id, state } = identity;
  const may = useCan();
  const identifier = identifierOf(identity);
  const edit = { to: '/identities/$id/traits/edit', params: { id } } as const;
  const editing = useMatchRoute()(edit) !== false;
  return (
    <PageHeading
      title={nameOf(identity) ?? identifier ?? 'Unnamed identity'}
      about={
        <HeadingFacts note={<ChangedByOther subject={`identity:${id}`} />}>
          <Badge component="span" variant={state === 'active' ? 'light' : 'default'}>
            {formatState(state)}
          </Badge>
          {identifier !== undefined && (
            <CopyableFact what="identifier" text={identifier}>
              <bdi>{visibleText(identifier)}</bdi>
            </CopyableFact>
          )}
          <CopyableFact what="identity ID" text={id} />
        </HeadingFacts>
      }
      actions={
        <>
          {!editing && may('upstreams.write') && (
            <LinkButton leftSection={<IconPencil />} {...edit} state={(current) => current}>
              Edit
            </LinkButton>
          )}
          <IdentityMenu identity={identity} />
        </>
      }
    />
  );
}

/** Counts for the tabs, from the queries of the tabs themselves; `25+` if there are more pages. */
function useTabCounts(identity: Identity): TabCounts {
  const { id } = identity;
  const { data: credentials } = useQuery(identityCredentialsQuery(id));
  const { data: sessions } = useInfiniteQuery(identitySessionsQuery(id));
  const { data: consents } = useInfiniteQuery({ ...consentsQuery(id), enabled: hasApplications() });
  const { messages, complete, more } = useLatestMessages(identity);
  const lastConsents = consents?.pages.at(-1);
  return {
    '/credentials': credentials && digits(credentialItems(credentials).length),
    '/sessions': sessions?.pages[0] && digits(sessions.pages[0].total),
    '/consents':
      consents && atLeast(consents.pages.flatMap(({ rows }) => rows).length, lastConsents?.next !== undefined),
    '/messages': complete ? atLeast(messages.length, more.length > 0) : undefined,
  };
}

const atLeast = (count: number, more: boolean): string => `${digits(count)}${more ? '+' : ''}`;

const NotesAndLatest = lazyPart(
  () => import('./identity-timeline.tsx'),
  'NotesAndLatest',
  <LoadingRows label="Loading the notes and the latest events" rows={6} height={52} />,
);

/** After this delay, the page renders without the sources that are still loading. */
const WAIT_MS = 1_500;

export function OverviewTab() {
  const identity = useRecord(identityQuery);
  const diagnosis = useEvidence(identity);
  const { isLoading } = useQuery({ ...notesQuery(identity.id), enabled: useCan()('notes.read') });
  const isReady = useStaysTrue(diagnosis.isSettled && !isLoading, WAIT_MS);
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
                  <Dimmed>This identity has no verifiable addresses.</Dimmed>
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
      second={isReady && <NotesAndLatest />}
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
        <Dimmed size="xs">
          <RelativeTime at={address.verified_at} />
        </Dimmed>
      )}
      {!address.verified && may('upstreams.write') && (
        <HelpButton identity={identity} help={{ act: 'verify', address }} about={address.value} />
      )}
    </Group>
  );
}
