import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { IDENTITY_PAGES_KEY, identityPageQuery, identityTotalQuery } from '../../../api/identities.ts';
import { ColumnChooser } from '../../../resource/list/column-chooser.tsx';
import { Total } from '../../../resource/list/page-line.tsx';
import { usePagesWalked } from '../../../resource/list/page-step.ts';
import { ResourceList } from '../../../resource/list/resource-list.tsx';
import { useColumnChoice } from '../../../resource/list/use-column-choice.ts';
import { useCursorList } from '../../../resource/list/use-cursor-list.ts';
import { IdentityBulkActions } from '../bulk/identity-bulk-actions.tsx';
import { IDENTITY } from '../identity-resource.ts';
import { IDENTITY_COLUMNS } from './identity-columns.tsx';
import { IdentitySearch } from './identity-search.tsx';
import { NoMatch, NoneBegins } from './no-match.tsx';
import { prefixSearchUnsupported } from './prefix-search-unsupported.ts';
import { pageParams } from './search-params.ts';
import { useIdentityRows } from './use-identity-rows.ts';

const route = getRouteApi('/signed-in/identities');

export function IdentityList() {
  const question = pageParams(route.useSearch(), usePagesWalked());
  const result = useQuery(identityPageQuery(question));
  const asked = useCursorList({ question, result, pagesKey: IDENTITY_PAGES_KEY });
  const { list, supported } = prefixSearchUnsupported(asked, question);
  const choice = useColumnChoice('identities', IDENTITY_COLUMNS);
  const rows = useIdentityRows(choice, list.shown?.page.rows);
  const navigate = route.useNavigate();
  return (
    <ResourceList
      name={IDENTITY}
      list={list}
      rows={rows}
      columns={<ColumnChooser choice={choice} columns={IDENTITY_COLUMNS} />}
      open={(id, fromList) => void navigate({ to: '/identities/$id', params: { id }, state: { fromList } })}
      search={<IdentitySearch />}
      noMatch={({ identifier, prefix }) => {
        if (prefix !== undefined) return <NoneBegins key={prefix} prefix={prefix} supported={supported} />;
        return identifier === undefined ? undefined : <NoMatch key={identifier} identifier={identifier} />;
      }}
      noData="People appear here once they register, or are created or imported."
      total={<IdentityTotal />}
      order="The identity service orders by id; it offers no other order."
      actions={(selection) => <IdentityBulkActions selection={selection} />}
    />
  );
}

function IdentityTotal() {
  const { data, error } = useQuery(identityTotalQuery);
  return <Total counted={data} pending={data === undefined && error === null} />;
}
