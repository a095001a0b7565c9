import { Alert, Button, Group, Stack } from '@mantine/core';
import { type QueryKey, type UseQueryOptions, useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { type ComponentType, Fragment, type ReactNode, useEffect, useMemo, useRef, useState } from 'react';
import type { CursorPage } from '../api/cursor-page.ts';
import { useCan } from '../api/session.ts';
import { FailurePanel } from '../ui/failure-panel.tsx';
import { PageHeading } from '../ui/layout.tsx';
import { ListSkeleton } from '../ui/loading.tsx';
import { IconClockX } from '../ui/shell-icons.tsx';
import { NoAccessPage, StatePanel } from '../ui/state-panel.tsx';
import { ColumnChooser, type Columns, useColumnChoice, visibleColumns } from './columns.tsx';
import {
  type CursorList,
  ListContext,
  type PagedSearch,
  type ParamsOf,
  pageParams,
  useCursorHistory,
  useCursorList,
} from './cursor-list.ts';
import classes from './list.module.css';
import { NewerRowsButton, type NewerRowsQuery } from './newer-rows.tsx';
import { formatPage, ListFooter, Paging, TotalAtEnd } from './pager.tsx';
import type { ResourceDefinition } from './resource.ts';
import { useSelection } from './selection.ts';
import { ListTable } from './table.tsx';
import { InvalidInLink, RefreshButton, Toolbar } from './toolbar.tsx';
import { ViewsButton } from './views-button.tsx';

interface PageQuery<T, Search extends PagedSearch, Raw, Key extends QueryKey> {
  query: (params: ParamsOf<Search>) => UseQueryOptions<Raw, Error, CursorPage<T>, Key>;
  /** Key prefix of every page's query. */
  pagesKey: QueryKey;
  /** A hook that adds data from other requests once they finish. @param has whether a column is visible */
  useExtras?: (page: CursorPage<T> | undefined, has: (column: string) => boolean) => CursorPage<T> | undefined;
}

/** The part of a list page that is specific to its resource. Components read the list from `useList`. */
interface ListDefinition<T, Search extends PagedSearch, Raw, Key extends QueryKey>
  extends PageQuery<T, Search, Raw, Key> {
  /** The tooltip of the heading. */
  about: string;
  /** Beside the heading. */
  PageActions?: ComponentType;
  /** Around the list. */
  Layout?: ComponentType<{ children: ReactNode }>;
  /** The service that stores the rows: "The identity service". */
  service: string;
  columns: Columns<T>;
  /** Whether a cell has two lines: all rows are 44 px high instead of 36. */
  twoLines?: true;
  /** Name of a row, for labels: "Select ada@example.org". */
  nameOf: (row: T) => string;
  /** In the toolbar: a <FilterBar>. */
  Search: ComponentType;
  /** In the toolbar, at the right. */
  Tools?: ComponentType;
  isSearch: (params: ParamsOf<Search>) => boolean;
  /** For a search without results. */
  NoMatch: ComponentType;
  /** For an empty list: how records are created. */
  noData: string;
  /** Next to the page line, except for a search without an index. */
  Total?: ComponentType;
  /** For lists with the newest rows first: how to look for newer rows. */
  newer?: NewerRowsQuery<T, ParamsOf<Search>>;
  /** A sentence about the order of the rows. @param indexed whether the rows come from the search index */
  order: (indexed: boolean) => string | undefined;
  /** The order without `sort`, for lists that can be sorted with a search index. */
  defaultSort?: string;
  /** Bulk actions with their dialog, which stays open even if the rows disappear. */
  BulkActions: ComponentType;
}

/** Creates the list page of a resource, for `resourceRoutes`. */
export function listPage<T extends { id: string }, Search extends PagedSearch, Raw, Key extends QueryKey>(
  resource: ResourceDefinition<string, Search>,
  definition: ListDefinition<T, Search, Raw, Key>,
): ComponentType {
  return function ListPage() {
    const may = useCan();
    if (may(resource.needs[0])) return <List resource={resource} definition={definition} />;
    const { about, PageActions } = definition;
    return <NoAccessPage title={resource.label} about={about} actions={PageActions && <PageActions />} />;
  };
}

export function useResourceList<T, Search extends PagedSearch, Raw, Key extends QueryKey>(
  { search: parse }: Pick<ResourceDefinition<string, Search>, 'search'>,
  { query, pagesKey, useExtras = (page) => page }: PageQuery<T, Search, Raw, Key>,
  has: (column: string) => boolean = () => false,
): CursorList<T, ParamsOf<Search>> {
  const address: PagedSearch = useSearch({ strict: false });
  const search = parse?.({ ...address }) ?? ({} as Search);
  const params = pageParams(search, useCursorHistory());
  const result = useQuery({ ...query(params), enabled: address.invalid !== 'q' });
  return useCursorList(params, { ...result, data: useExtras(result.data, has) }, pagesKey);
}

function List<T extends { id: string }, Search extends PagedSearch, Raw, Key extends QueryKey>(props: {
  resource: ResourceDefinition<string, Search>;
  definition: ListDefinition<T, Search, Raw, Key>;
}) {
  const { resource, definition } = props;
  const { columns, newer, defaultSort, PageActions, Layout = Fragment, Total, Tools } = definition;
  const { many } = resource;
  const choice = useColumnChoice(many, columns);
  const latest = useResourceList(resource, definition, choice.has);
  const visible = useMemo(() => visibleColumns(columns, choice.chosen), [columns, choice.chosen]);
  const { sort, invalid }: PagedSearch & { sort?: string } = useSearch({ strict: false });
  const loaded = invalid === 'q' ? undefined : latest.loaded;
  const list = { ...latest, loaded, selection: useSelection(loaded) };
  const { pending, failure } = list;
  const isReady = useAfterRows(loaded !== undefined);
  const focusNext = useRef<string>(undefined);
  useEffect(() => {
    if (failure !== undefined || list.outdated) focusNext.current = undefined;
  }, [failure, list.outdated]);
  const isSearch = loaded !== undefined && definition.isSearch(loaded.params);
  const indexed = loaded?.page.matches !== undefined;
  const rows = loaded?.page.rows ?? [];
  const heading = (
    <PageHeading title={resource.label} about={definition.about} actions={PageActions && isReady && <PageActions />} />
  );
  // Without permission there is nothing to search: show only the server's message.
  if (failure?.code === 'forbidden')
    return (
      <>
        {heading}
        <Layout>
          <FailurePanel error={failure} />
        </Layout>
      </>
    );
  return (
    <ListContext value={list}>
      {heading}
      <Layout>
        <InvalidInLink />
        <Toolbar
          end={
            isReady && (
              <>
                {Tools && <Tools />}
                <ViewsButton of={many} columns={choice.parameter} counted={indexed} />
                <ColumnChooser choice={choice} columns={columns} />
                <RefreshButton />
              </>
            )
          }
        >
          {isReady && <definition.Search />}
        </Toolbar>
        <div className={classes.notice}>
          {failure !== undefined && <FailurePanel error={failure} onRetry={list.retry} />}
          {list.outdated && <OutdatedNotice service={definition.service} startAgain={list.startAgain} />}
        </div>
        {newer && loaded && <NewerRowsButton query={newer} />}
        {loaded === undefined
          ? pending && <ListSkeleton label={`Loading the ${many}`} rows={12} />
          : rows.length === 0 &&
            (isSearch && loaded.page.next === undefined ? (
              <definition.NoMatch key={JSON.stringify(loaded.params)} />
            ) : (
              <NoRows
                many={many}
                noData={definition.noData}
                startAgain={loaded.pages.length > 0 || loaded.page.next !== undefined ? list.startAgain : undefined}
              />
            ))}
        {loaded !== undefined && rows.length > 0 && (
          <ListTable
            key={JSON.stringify(loaded.params)}
            resource={resource}
            columns={visible}
            twoLines={definition.twoLines}
            nameOf={definition.nameOf}
            sort={indexed ? (sort ?? defaultSort) : undefined}
            order={definition.order(indexed)}
            focusNext={focusNext}
          />
        )}
        <ListFooter
          empty={rows.length === 0 && (loaded === undefined || loaded.pages.length === 0)}
          status={pending ? 'Loading…' : loaded ? formatPage(loaded, resource, isSearch) : ''}
          total={
            isReady && rows.length > 0 && (!isSearch || indexed) && (Total ? <Total /> : <TotalAtEnd what={many} />)
          }
          paging={isReady && <Paging />}
        >
          <Fragment key={JSON.stringify(loaded?.params)}>
            <definition.BulkActions />
          </Fragment>
        </ListFooter>
      </Layout>
    </ListContext>
  );
}

/**
 * Whether to render what surrounds the rows: once they are painted, or after half a second without rows, so that the
 * first row appears sooner. A plain update, since more urgent ones could postpone a transition again and again.
 */
function useAfterRows(hasRows: boolean): boolean {
  const [isReady, setReady] = useState(false);
  useEffect(() => {
    const show = (): void => setReady(true);
    const timer = setTimeout(show, AT_LATEST_MS);
    const frame = hasRows ? requestAnimationFrame(() => setTimeout(show)) : 0;
    return () => {
      clearTimeout(timer);
      cancelAnimationFrame(frame);
    };
  }, [hasRows]);
  return isReady;
}

const AT_LATEST_MS = 500;

/** The list or this page of it is empty. */
function NoRows(props: { many: string; noData: string; startAgain: (() => void) | undefined }) {
  const { many } = props;
  if (props.startAgain === undefined) return <StatePanel kind="no-data" title={`No ${many} yet`} text={props.noData} />;
  return (
    <StatePanel
      kind="no-data"
      title={`No ${many} on this page`}
      text="They may have been deleted, or be on other pages."
      actions={<StartAgain onClick={props.startAgain} />}
    />
  );
}

/** The service rejected the cursor of a page. */
function OutdatedNotice({ service, startAgain }: { service: string; startAgain: () => void }) {
  return (
    <Alert role="alert" variant="default" icon={<IconClockX size={24} />} title="This page has expired">
      <Stack gap="xs">
        {service} can no longer find this page. The last loaded page, if any, is shown below.
        <Group>
          <StartAgain onClick={startAgain} />
        </Group>
      </Stack>
    </Alert>
  );
}

const StartAgain = ({ onClick }: { onClick: () => void }) => (
  <Button size="xs" variant="default" onClick={onClick}>
    Start again from page 1
  </Button>
);
