import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { IDENTITY_PAGES_KEY, identityPageQuery, identityTotalQuery } from '../../../api/identities.ts';
import { Total } from '../../../resource/list/page-line.tsx';
import { usePagesWalked } from '../../../resource/list/page-step.ts';
import { ResourceList } from '../../../resource/list/resource-list.tsx';
import { useCursorList } from '../../../resource/list/use-cursor-list.ts';
import { IdentityBulkActions } from '../bulk/identity-bulk-actions.tsx';
import { IDENTITY } from '../identity-resource.ts';
import { IDENTITY_ROWS } from './identity-columns.tsx';
import { IdentitySearch } from './identity-search.tsx';
import { pageQuestion } from './list-address.ts';
import { NoMatch } from './no-match.tsx';

const route = getRouteApi('/signed-in/identities');

export function IdentityList() {
  const question = pageQuestion(route.useSearch(), usePagesWalked());
  const result = useQuery(identityPageQuery(question));
  const list = useCursorList({ question, result, pagesKey: IDENTITY_PAGES_KEY });
  const navigate = route.useNavigate();
  return (
    <ResourceList
      name={IDENTITY}
      list={list}
      rows={IDENTITY_ROWS}
      open={(id, fromList) => void navigate({ to: '/identities/$id', params: { id }, state: { fromList } })}
      search={<IdentitySearch />}
      noMatch={({ identifier }) =>
        identifier === undefined ? undefined : <NoMatch key={identifier} identifier={identifier} />
      }
      noData="People appear here once they have registered, or were created or imported."
      total={<IdentityTotal />}
      order="The identity service orders by id; it cannot sort in another way."
      actions={({ rows, choose }) => <IdentityBulkActions identities={rows} onDone={choose} />}
    />
  );
}

function IdentityTotal() {
  const { data, error } = useQuery(identityTotalQuery);
  return <Total counted={data} pending={data === undefined && error === null} />;
}
