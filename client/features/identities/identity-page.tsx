import { Badge } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useMatchRoute } from '@tanstack/react-router';
import type { ComponentType } from 'react';
import { isUuid } from '../../../shared/json.ts';
import { consentsQuery } from '../../api/consents.ts';
import { type Identity, identityQuery } from '../../api/identities.ts';
import { credentialItems, identityCredentialsQuery } from '../../api/identity-credentials.ts';
import { identitySessionsQuery } from '../../api/sessions.ts';
import { digits } from '../../lib/format-count.ts';
import { identifierOf, nameOf } from '../../lib/identity-name.ts';
import { visibleText } from '../../lib/visible-text.ts';
import { recordPage } from '../../record/record-page.tsx';
import { CopyableFact, HeadingFacts, type TabCounts } from '../../record/tabs.tsx';
import { IconPencil } from '../../ui/icons.tsx';
import { LinkButton, PageHeading } from '../../ui/layout.tsx';
import { lazyPart } from '../../ui/lazy-part.tsx';
import { LoadingRows } from '../../ui/loading.tsx';
import { useLatestMessages } from '../sign-in-diagnosis/evidence.ts';
import { CredentialsTab } from './credentials-tab.tsx';
import { IdentityMenu } from './identity-actions.tsx';
import { formatState, IDENTITIES } from './identity-resource.ts';
import { MessagesTab } from './messages-tab.tsx';
import { OverviewTab } from './overview-tab.tsx';
import { SessionsTab } from './sessions-tab.tsx';
import { TraitsTab } from './traits-tab.tsx';

const Timeline = lazyPart(
  () => import('./person-timeline.tsx'),
  'PersonTimeline',
  <LoadingRows label="Loading the timeline" rows={6} height={52} />,
);

export const IdentityPage: ComponentType = recordPage(IDENTITIES, {
  query: identityQuery,
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
  const identifier = identifierOf(identity);
  const edit = { to: '/identities/$id/traits/edit', params: { id } } as const;
  const editing = useMatchRoute()(edit) !== false;
  return (
    <PageHeading
      title={nameOf(identity) ?? identifier ?? 'Unnamed identity'}
      about={
        <HeadingFacts>
          <Badge
            component="span"
            variant={state === 'active' ? 'light' : 'default'}
            color={state === 'active' ? undefined : 'gray'}
          >
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
          {!editing && (
            <LinkButton leftSection={<IconPencil />} {...edit} state={(current) => current} preload={false}>
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
  const { data: consents } = useInfiniteQuery(consentsQuery(id));
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
