import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { CLIENT_PAGES_KEY, clientPageQuery } from '../../../api/oauth-clients.ts';
import { TotalAtEnd } from '../../../resource/list/page-line.tsx';
import { usePagesWalked } from '../../../resource/list/page-step.ts';
import { ResourceList } from '../../../resource/list/resource-list.tsx';
import { useCursorList } from '../../../resource/list/use-cursor-list.ts';
import { ClientBulkActions } from '../bulk/client-bulk-actions.tsx';
import { CLIENT } from '../client-resource.ts';
import { CLIENT_ROWS } from './client-columns.tsx';
import { ClientSearch } from './client-search.tsx';
import { NoMatch } from './no-match.tsx';
import { pageParams } from './search-params.ts';

const route = getRouteApi('/signed-in/oauth/clients');

export function ClientList() {
  const question = pageParams(route.useSearch(), usePagesWalked());
  const result = useQuery(clientPageQuery(question));
  const list = useCursorList({ question, result, pagesKey: CLIENT_PAGES_KEY });
  const navigate = route.useNavigate();
  return (
    <ResourceList
      name={CLIENT}
      list={list}
      rows={CLIENT_ROWS}
      open={(id, fromList) => void navigate({ to: '/oauth/clients/$id', params: { id }, state: { fromList } })}
      search={<ClientSearch />}
      noMatch={({ name, owner }) =>
        name === undefined && owner === undefined ? undefined : <NoMatch name={name} owner={owner} />
      }
      noData="Clients appear here once they have been created, or have registered themselves."
      total={<TotalAtEnd shown={list.shown} />}
      order="The OAuth server orders by client id; it offers no other order."
      actions={(selection) => <ClientBulkActions selection={selection} />}
    />
  );
}
