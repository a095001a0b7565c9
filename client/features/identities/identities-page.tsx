import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useDeferredValue } from 'react';
import type { CursorPage } from '../../api/cursor-page.ts';
import { IDENTITY_PAGES_KEY, identityTotalQuery } from '../../api/identities.ts';
import { useCan, useRefusal } from '../../api/session.ts';
import { ColumnChooser, useColumnChoice } from '../../list/columns.tsx';
import { orRefused } from '../../list/cursor-list.ts';
import { ResourceList, useResourceList } from '../../list/list-page.tsx';
import { Reading, Total, TotalAsOf } from '../../list/pager.tsx';
import { GuardedButton } from '../../ui/buttons.tsx';
import { IconUserPlus } from '../../ui/icons.tsx';
import { PageHeading } from '../../ui/layout.tsx';
import { NoAccessPage } from '../../ui/state-panel.tsx';
import { IdentityBar } from './identity-bar.tsx';
import { IDENTITY_COLUMNS, useIdentityRows } from './identity-columns.tsx';
import { foundPageQuery, hasFilters, type IdentityRow } from './identity-query.ts';
import { IDENTITIES } from './identity-resource.ts';
import { IdentitySearch } from './identity-search.tsx';
import { NoMatch } from './no-match.tsx';

export function IdentitiesPage() {
  const may = useCan();
  const refusal = useRefusal('upstreams.write');
  const icon = <IconUserPlus />;
  const heading = {
    title: IDENTITIES.label,
    about: "The people and accounts of this deployment's identity service.",
    actions:
      refusal === undefined ? (
        <>
          <Button
            variant="default"
            renderRoot={(props) => <Link {...props} to="/identities/export" search={true} preload={false} />}
          >
            Export
          </Button>
          <Button variant="default" renderRoot={(props) => <Link {...props} to="/identities/import" preload={false} />}>
            Import
          </Button>
          <Button leftSection={icon} renderRoot={(props) => <Link {...props} to="/identities/new" preload={false} />}>
            New identity
          </Button>
        </>
      ) : (
        <GuardedButton reason={refusal} leftSection={icon} onClick={() => {}}>
          New identity
        </GuardedButton>
      ),
  };
  if (!may('identities.read')) return <NoAccessPage {...heading} />;
  return (
    <>
      <PageHeading {...heading} />
      <IdentityList />
    </>
  );
}

function IdentityList() {
  const { list, refused } = orRefused(
    useResourceList(IDENTITIES, { query: foundPageQuery, pagesKey: IDENTITY_PAGES_KEY }),
  );
  const page = list.shown?.page;
  const plain = page !== undefined && page.matches === undefined;
  const choice = useColumnChoice('identities', IDENTITY_COLUMNS);
  // All rows change with the columns: they are rendered in slices, not at the click.
  const rows = useDeferredValue(useIdentityRows(choice, page));
  return (
    <ResourceList
      resource={IDENTITIES}
      service="The identity service"
      list={list}
      rows={rows}
      sort={plain ? undefined : (list.params.sort ?? '-created')}
      viewColumns={choice.parameter}
      chooser={<ColumnChooser choice={choice} columns={IDENTITY_COLUMNS} />}
      search={<IdentitySearch plain={plain} />}
      noMatch={({ pageSize: _, token: __, ...search }) =>
        hasFilters(search) ? (
          <NoMatch
            key={JSON.stringify(search)}
            search={search}
            indexed={!plain}
            complete={page?.matches?.complete ?? true}
            refused={refused}
          />
        ) : undefined
      }
      noData="People appear here once they register or are created or imported."
      total={page && <Counted page={page} searched={hasFilters(list.params)} />}
      order={plain ? 'Ordered by id. The identity service offers no other order.' : undefined}
      actions={(selection) => (
        <IdentityBar selection={selection} search={list.shown?.params ?? {}} total={page?.matches?.total} />
      )}
    />
  );
}

/** How many there are, or how far they have been read to find those who match. */
function Counted({ page: { matches }, searched }: { page: CursorPage<IdentityRow>; searched: boolean }) {
  const { data, error } = useQuery(identityTotalQuery);
  // The number that is offered for selection, of the same moment.
  if (!searched && matches?.complete && matches.asOf !== null)
    return <TotalAsOf total={matches.total ?? matches.read ?? 0} as_of={matches.asOf} what="people" />;
  return (
    <>
      {!searched && <Total counted={data} pending={data === undefined && error === null} />}
      {matches && <Reading matches={matches} what="people" all={data?.total ?? null} />}
    </>
  );
}
