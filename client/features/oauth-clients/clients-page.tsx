import { useQuery } from '@tanstack/react-query';
import { memo } from 'react';
import type { Statistics } from '../../../shared/dashboard.ts';
import type { Matches } from '../../api/cursor-page.ts';
import { useRefusal } from '../../api/session.ts';
import { signInCoverageQuery } from '../../api/sign-ins.ts';
import { hasSignInLog } from '../../deployment.ts';
import { formatGrant } from '../../lib/labels.ts';
import { bulkActions } from '../../list/bulk-actions.tsx';
import { type Columns, CopyableId } from '../../list/columns.tsx';
import { useList } from '../../list/cursor-list.ts';
import { choicesIn, explainWords, FilterBar, type UseFilters } from '../../list/filters.tsx';
import { ListPage } from '../../list/list-page.tsx';
import { TotalAtEnd } from '../../list/pager.tsx';
import { NoMatch } from '../../list/search.tsx';
import { LinkButton } from '../../ui/buttons.tsx';
import { RelativeTime } from '../../ui/facts.tsx';
import { IconPlus } from '../../ui/icons.tsx';
import { IconTrash } from '../../ui/shell-icons.tsx';
import { formatAuthMethod } from './client-members.ts';
import {
  CLIENT_PAGES_KEY,
  CLIENTS,
  type ClientPageParams,
  clientPageQuery,
  type ListedClient,
  unusedLabel,
} from './client-resource.ts';

/**
 * Memoized, because it does not depend on the list. @param plain without an index, only whole names and owners match
 */
export const ClientSearch = memo(({ plain }: { plain: boolean }) => (
  <FilterBar
    label="Any part of name, owner or client ID"
    explanation={plain ? () => EXPLAIN_PLAIN : EXPLAIN}
    refusal={plain ? 'The index of clients is off or still empty.' : undefined}
    {...(hasSignInLog() && { useFilters: useClientFilters })}
  />
));

const useClientFilters: UseFilters = (search, _change, open) => {
  const { data } = useQuery({ ...signInCoverageQuery, enabled: open || search['unused'] !== undefined });
  const choices = choicesIn({ '': 'Any', yes: unusedLabel(data) });
  return { filters: [{ name: 'unused', label: 'Use', choices }] };
};

const EXPLAIN = explainWords(
  'Each word may be any part of a name, an owner or a client ID. Order, case and accents do not matter.',
);
const EXPLAIN_PLAIN =
  'The index of clients is off or still empty. Press Enter to search. The whole name or owner must match, including case.';

const nameOf = ({ id, name }: ListedClient): string => name || id;

export const ClientsPage = () => (
  <ListPage
    resource={CLIENTS}
    about="Applications that may request tokens from the OAuth server."
    actions={<NewClient />}
    service="The OAuth server"
    query={clientPageQuery}
    pagesKey={CLIENT_PAGES_KEY}
    search={<Search />}
    columns={COLUMNS}
    nameOf={nameOf}
    order={() => 'Ordered by client ID. The OAuth server offers no other order.'}
    isSearch={({ q, unused }) => q !== undefined || unused !== undefined}
    noMatch={<NoClientMatches />}
    noData="Clients appear here once they are created or register themselves."
    total={<TotalAtEnd countIn={countClients} />}
    bulkActions={<ClientActs />}
    bulkNeeds={['upstreams.write']}
  />
);

const COLUMNS: Columns<ListedClient> = {
  name: {
    label: 'Name',
    width: 1.2,
    cell: ({ name, id }) => name || <em>{id}</em>,
  },
  owner: { label: 'Owner', width: 0.75, cell: ({ owner }) => owner },
  grants: {
    label: 'Grants',
    width: 1.8,
    cell: ({ grants }) => grants.map(formatGrant).join(', ') || <em>none set</em>,
  },
  authentication: {
    label: 'Authentication',
    width: 1.05,
    cell: ({ authMethod }) => formatAuthMethod(authMethod),
  },
  created: {
    label: 'Created',
    width: '9rem',
    wideOnly: true,
    cell: ({ created }) => <RelativeTime at={created} />,
  },
  id: {
    label: 'Client ID',
    width: 1.1,
    wideOnly: true,
    cell: (client, tabIndex) => <CopyableId id={client.id} rowName={nameOf(client)} tabIndex={tabIndex} />,
  },
};

const ClientActs = bulkActions(
  { delete: { label: 'Delete', icon: IconTrash, deletes: true } },
  () => import('./client-acts.tsx'),
);

function Search() {
  const { loaded } = useList<ListedClient, ClientPageParams>();
  const { q, unused } = loaded?.params ?? {};
  return <ClientSearch plain={q !== undefined && unused === undefined && loaded?.page.matches === undefined} />;
}

function NoClientMatches() {
  const { params, loaded } = useList<ListedClient, ClientPageParams>();
  const { q, unused } = loaded?.params ?? params;
  const matches = loaded?.page.matches;
  const clear = { label: 'Clear the search', to: { search: {} } };
  if (unused !== undefined) return <NoMatch title="No unused client" text={textOf(matches)} offers={[clear]} />;
  return (
    <NoMatch
      title={matches === undefined ? 'No client has this name or owner' : 'No client matches'}
      text={textOf(matches)}
      offers={[
        {
          label: 'Open the client with this ID',
          to: { to: '/oauth/clients/$id', params: { id: q ?? '' } },
          first: true,
        },
        clear,
      ]}
    />
  );
}

function countClients({ clients }: Statistics) {
  return clients === null || clients.truncated ? undefined : { total: clients.sample, as_of: clients.as_of };
}

function textOf(matches: Matches | undefined): string {
  if (matches === undefined)
    return 'The index of clients is off or still empty, so the whole name or owner must match, including case.';
  if (!matches.complete) return 'Clients are still being indexed.';
  return (
    matches.note ??
    'Names, owners and client IDs are searched. A client that has just been registered may not be found yet.'
  );
}

const NewClient = () => (
  <LinkButton reason={useRefusal('upstreams.write')} leftSection={<IconPlus />} to="/oauth/clients/new">
    New client
  </LinkButton>
);
