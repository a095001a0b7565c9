import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useDeferredValue } from 'react';
import { IDENTITY_PAGES_KEY, identityPageQuery, identityTotalQuery } from '../../../api/identities.ts';
import { useRefusal } from '../../../api/session.ts';
import { ColumnChooser } from '../../../resource/list/column-chooser.tsx';
import { useResourceList } from '../../../resource/list/list-page.tsx';
import { Total } from '../../../resource/list/page-line.tsx';
import { ResourceList } from '../../../resource/list/resource-list.tsx';
import { useColumnChoice } from '../../../resource/list/use-column-choice.ts';
import { Button } from '../../../ui/elements/button.tsx';
import { GuardedButton } from '../../../ui/guarded-button.tsx';
import { IconUserPlus } from '../../../ui/icons.ts';
import { PageHeading } from '../../../ui/page-heading.tsx';
import { identityActions } from '../bulk/identity-actions.tsx';
import { IDENTITIES } from '../identity-resource.ts';
import { IDENTITY_COLUMNS, useIdentityRows } from './identity-columns.tsx';
import { IdentitySearch } from './identity-search.tsx';
import { NoMatch, NoneBegins } from './no-match.tsx';
import { prefixSearchUnsupported } from './prefix-search-unsupported.ts';

export function IdentitiesPage() {
  const refusal = useRefusal('upstreams.write');
  const icon = <IconUserPlus />;
  return (
    <>
      <PageHeading
        title={IDENTITIES.label}
        about="The people and accounts of this deployment's identity service."
        actions={
          refusal === undefined ? (
            <>
              <Button
                variant="default"
                renderRoot={(props) => <Link {...props} to="/identities/export" preload={false} />}
              >
                Export
              </Button>
              <Button
                variant="default"
                renderRoot={(props) => <Link {...props} to="/identities/import" preload={false} />}
              >
                Import
              </Button>
              <Button
                leftSection={icon}
                renderRoot={(props) => <Link {...props} to="/identities/new" preload={false} />}
              >
                New identity
              </Button>
            </>
          ) : (
            <GuardedButton reason={refusal} leftSection={icon} onClick={() => {}}>
              New identity
            </GuardedButton>
          )
        }
      />
      <IdentityList />
    </>
  );
}

function IdentityList() {
  const { list, supported } = prefixSearchUnsupported(
    useResourceList(IDENTITIES, { query: identityPageQuery, pagesKey: IDENTITY_PAGES_KEY }),
  );
  const choice = useColumnChoice('identities', IDENTITY_COLUMNS);
  // All rows change with the columns: they are rendered in slices, not at the click.
  const rows = useDeferredValue(useIdentityRows(choice, list.shown?.page.rows));
  return (
    <ResourceList
      resource={IDENTITIES}
      service="The identity service"
      list={list}
      rows={rows}
      chooser={<ColumnChooser choice={choice} columns={IDENTITY_COLUMNS} />}
      search={<IdentitySearch />}
      noMatch={({ identifier, prefix }) => {
        if (prefix !== undefined) return <NoneBegins key={prefix} prefix={prefix} supported={supported} />;
        return identifier === undefined ? undefined : <NoMatch key={identifier} identifier={identifier} />;
      }}
      noData="People appear here once they register or are created or imported."
      total={<IdentityTotal />}
      order="Ordered by id. The identity service offers no other order."
      actions={identityActions({}, undefined)}
    />
  );
}

function IdentityTotal() {
  const { data, error } = useQuery(identityTotalQuery);
  return <Total counted={data} pending={data === undefined && error === null} />;
}
