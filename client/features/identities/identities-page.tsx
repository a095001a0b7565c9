import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { IDENTITY_PAGES_KEY, identityTotalQuery } from '../../api/identities.ts';
import { hasFilters } from '../../api/identity-filters.ts';
import { useRefusal } from '../../api/session.ts';
import { displayName } from '../../lib/identity-name.ts';
import { useList } from '../../list/cursor-list.ts';
import { ListPage } from '../../list/list-page.tsx';
import { Total } from '../../list/pager.tsx';
import classes from '../../list/toolbar.module.css';
import { LinkButton } from '../../ui/buttons.tsx';
import { lazyPart } from '../../ui/lazy-part.tsx';
import { MoreButton } from '../../ui/more-button.tsx';
import { IconDownload, IconInbox, IconUserPlus } from '../../ui/shell-icons.tsx';
import { IdentityBar } from './identity-bar.tsx';
import { IDENTITY_COLUMNS, useStoredExtras } from './identity-columns.tsx';
import { type FoundPageParams, foundPageQuery, IDENTITIES, type IdentityRow } from './identity-resource.ts';
import { IdentitySearch } from './identity-search.tsx';

const NoMatch = lazyPart(() => import('./no-match.tsx'), 'NoMatch', null);

export const IdentitiesPage = () => (
  <ListPage
    resource={IDENTITIES}
    about="The people and accounts of this deployment's identity service."
    actions={<PageActions />}
    service="The identity service"
    query={foundPageQuery}
    pagesKey={IDENTITY_PAGES_KEY}
    useExtras={useStoredExtras}
    search={<Search />}
    columns={IDENTITY_COLUMNS}
    twoLines
    nameOf={displayName}
    defaultSort="-created"
    order={(indexed) => (indexed ? undefined : 'Ordered by ID. The identity service offers no other order.')}
    isSearch={hasFilters}
    noMatch={<NoIdentityMatches />}
    noData="People appear here once they register, or once you create or import them."
    total={<IdentityTotal />}
    bulkActions={<IdentityBar />}
    bulkNeeds={['identities.state', 'sessions.end', 'upstreams.write']}
  />
);

function Search() {
  const { page } = useList().loaded ?? {};
  return <IdentitySearch plain={page !== undefined && page.matches === undefined} />;
}

function NoIdentityMatches() {
  const { params, loaded, unsupported } = useList<IdentityRow, FoundPageParams>();
  const { pageSize: _, token: __, ...search } = loaded?.params ?? params;
  return <NoMatch search={search} matches={loaded?.page.matches} refused={unsupported} />;
}

function PageActions() {
  const refusal = useRefusal('upstreams.write');
  const navigate = useNavigate();
  return (
    <>
      {refusal === undefined && (
        <>
          <LinkButton variant="default" className={classes.onlyWide} to="/identities/export" search={true}>
            Export
          </LinkButton>
          <LinkButton variant="default" className={classes.onlyWide} to="/identities/import">
            Import
          </LinkButton>
        </>
      )}
      <LinkButton reason={refusal} leftSection={<IconUserPlus />} to="/identities/new">
        New identity
      </LinkButton>
      {refusal === undefined && (
        <MoreButton
          className={classes.onlyNarrow}
          items={[
            {
              label: 'Export',
              icon: IconDownload,
              run: () => void navigate({ to: '/identities/export', search: true }),
            },
            { label: 'Import', icon: IconInbox, run: () => void navigate({ to: '/identities/import' }) },
          ]}
        />
      )}
    </>
  );
}

function IdentityTotal() {
  const { params, loaded } = useList<IdentityRow, FoundPageParams>();
  const { data, error } = useQuery(identityTotalQuery);
  const matches = loaded?.page.matches;
  const isSearch = hasFilters(params);
  // Use the total of the same index snapshot as the selection, so that both numbers agree.
  const ofIndex = matches?.complete && matches.asOf !== null && { total: matches.total ?? matches.read ?? 0 };
  const counted = ofIndex || data || (error === null ? 'pending' : { total: null });
  return <Total matches={matches} all={data?.total ?? null} {...(!isSearch && { counted })} />;
}
