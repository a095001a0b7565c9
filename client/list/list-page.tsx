import { Alert, Group, Stack } from '@mantine/core';
import { type QueryKey, type UseQueryOptions, useQuery } from '@tanstack/react-query';
import { useLocation, useSearch } from '@tanstack/react-router';
import { Fragment, type ReactNode, useDeferredValue, useEffect, useMemo, useRef, useState } from 'react';
import type { Capability } from '../../shared/capabilities.ts';
import type { CursorPage } from '../api/cursor-page.ts';
import { useCan } from '../api/session.ts';
import { SmallButton } from '../ui/buttons.tsx';
import { FailurePanel } from '../ui/failure-panel.tsx';
import { PageHeading } from '../ui/layout.tsx';
import { ListSkeleton } from '../ui/loading.tsx';
import { IconClockX } from '../ui/shell-icons.tsx';
import { GuardedPage, StatePanel } from '../ui/state-panel.tsx';
import { ColumnChooser, type Columns, useColumnChoice, visibleColumns } from './columns.tsx';
import { AfterRows, type CursorList, ListContext, useCursorHistory, useCursorList } from './cursor-list.ts';
import classes from './list.module.css';
import { NewerRowsButton, type NewerRowsQuery } from './newer-rows.tsx';
import { formatPage, ListFooter, Paging, TotalAtEnd } from './pager.tsx';
import { type PagedSearch, type ParamsOf, pageParams, type ResourceDefinition } from './resource.ts';
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

/** The elements read the list from `useList`. */
interface ListPageProps<T, Search extends PagedSearch, Raw, Key extends QueryKey>
  extends PageQuery<T, Search, Raw, Key> {
  resource: ResourceDefinition<string, Search>;
  /** The tooltip of the heading. */
  about: string;
  actions?: ReactNode;
  children?: ReactNode;
  /** The service that stores the rows: "The identity service". */
  service: string;
  columns: Columns<T>;
  /** Whether a cell has two lines: the rows of a narrow list are higher. */
  twoLines?: true;
  /** Whether rows have no pages, and cannot be selected. */
  plain?: true;
  /** Notes between a row and the one above it. */
  above?: (row: T) => readonly string[];
  /** Name of a row, for labels: "Select ada@example.org". */
  nameOf: (row: T) => string;
  /** In the toolbar: a <FilterBar>. */
  search: ReactNode;
  isSearch: (params: ParamsOf<Search>) => boolean;
  /** For a search without results. */
  noMatch: ReactNode;
  /** For an empty list: how records are created. */
  noData: string;
  /** Next to the page line, except for a search without an index. */
  total?: ReactNode;
  /** For lists with the newest rows first: how to look for newer rows. */
  newer?: NewerRowsQuery<T, ParamsOf<Search>>;
  /** A sentence about the order of the rows. @param indexed whether the rows come from the search index */
  order: (indexed: boolean) => string | undefined;
  /** The order without `sort`, for lists that can be sorted with a search index. */
  defaultSort?: string;
  /** Bulk actions with their dialog, which stays open even if the rows disappear. */
  bulkActions: ReactNode;
  /** What bulk actions need: without any of these, rows cannot be selected. */
  bulkNeeds?: readonly Capability[];
}

export function ListPage<T extends { id: string }, Search extends PagedSearch, Raw, Key extends QueryKey>(
  props: ListPageProps<T, Search, Raw, Key>,
) {
  const { resource, about, actions } = props;
  const may = useCan();
  if (may(resource.needs[0])) return <List {...props} />;
  return <GuardedPage open={false} needs={resource.needs} title={resource.label} about={about} actions={actions} />;
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

function List<T extends { id: string }, Search extends PagedSearch, Raw, Key extends QueryKey>(
  props: ListPageProps<T, Search, Raw, Key>,
) {
  const { resource, columns, newer, total } = props;
  const { many } = resource;
  const may = useCan();
  const selectable = !props.plain && (props.bulkNeeds?.some(may) ?? true);
  const choice = useColumnChoice(many, columns);
  const latest = useResourceList(resource, props, choice.has);
  // With other columns, and below for another page, rows render in slices: 250 rows are a task of 500 to 900 ms on a
  // processor slowed by four, and 150 to 250 ms in slices.
  const visible = useDeferredValue(
    useMemo(() => visibleColumns(columns, choice.chosen, choice.isWide), [columns, choice.chosen, choice.isWide]),
  );
  const { sort, invalid }: PagedSearch & { sort?: string } = useSearch({ strict: false });
  const current = invalid === 'q' ? undefined : latest.loaded;
  const loaded = useDeferredValue(current) ?? current;
  const selection = useSelection(loaded, selectable);
  const list = { ...latest, loaded, pending: latest.pending || loaded !== current, selection };
  const { pending, failure } = list;
  // On the way back to a scroll position, the rows at that position must not come later.
  const isReturn = useLocation({ select: ({ state }) => state.scrolled !== undefined });
  const isReady = useAfterRows(loaded !== undefined) || isReturn;
  const focusNext = useRef<string>(undefined);
  useEffect(() => {
    if (failure !== undefined || list.outdated) focusNext.current = undefined;
  }, [failure, list.outdated]);
  const isSearch = loaded !== undefined && props.isSearch(loaded.params);
  const indexed = loaded?.page.matches !== undefined;
  const rows = loaded?.page.rows ?? [];
  const heading = (
    <PageHeading title={resource.label} about={props.about} actions={props.actions && isReady && props.actions} />
  );
  // Without permission there is nothing to search: show only the server's message.
  if (failure?.code === 'forbidden')
    return (
      <>
        {heading}
        {props.children}
        <FailurePanel error={failure} />
      </>
    );
  return (
    <ListContext value={list}>
      {heading}
      {props.children}
      <InvalidInLink />
      <Toolbar
        end={
          isReady && (
            <>
              <ViewsButton of={many} columns={choice.parameter} counted={indexed} />
              <ColumnChooser choice={choice} columns={columns} />
              <RefreshButton />
            </>
          )
        }
      >
        <AfterRows value={isReady}>{props.search}</AfterRows>
      </Toolbar>
      <div className={classes.notice}>
        {failure !== undefined && <FailurePanel error={failure} onRetry={list.retry} />}
        {list.outdated && <OutdatedNotice service={props.service} startAgain={list.startAgain} />}
      </div>
      {newer && loaded && <NewerRowsButton query={newer} />}
      {loaded === undefined
        ? pending && <ListSkeleton label={`Loading the ${many}`} rows={12} />
        : rows.length === 0 &&
          (isSearch && loaded.page.next === undefined ? (
            <Fragment key={JSON.stringify(loaded.params)}>{props.noMatch}</Fragment>
          ) : (
            <NoRows
              many={many}
              noData={props.noData}
              startAgain={loaded.pages.length > 0 || loaded.page.next !== undefined ? list.startAgain : undefined}
            />
          ))}
      {loaded !== undefined && rows.length > 0 && (
        <ListTable
          key={JSON.stringify(loaded.params)}
          resource={resource}
          columns={visible}
          twoLines={props.twoLines}
          nameOf={props.nameOf}
          plain={props.plain}
          selectable={selectable}
          above={props.above}
          sort={indexed ? (sort ?? props.defaultSort) : undefined}
          order={props.order(indexed)}
          focusNext={focusNext}
          isReady={isReady}
        />
      )}
      <ListFooter
        empty={rows.length === 0 && (loaded === undefined || (loaded.pages.length === 0 && list.next === undefined))}
        status={pending ? 'Loading…' : loaded ? formatPage(loaded, resource, isSearch) : ''}
        total={isReady && rows.length > 0 && (!isSearch || indexed) && (total ?? <TotalAtEnd />)}
        paging={isReady && <Paging />}
      >
        <Fragment key={JSON.stringify(loaded?.params)}>{props.bulkActions}</Fragment>
      </ListFooter>
    </ListContext>
  );
}

/**
 * Whether to render what surrounds the first rows, except the search field: once they are painted, or after half a second without rows. With
 * everything at once, the first row comes 28% later on a slow machine. A plain update, since more urgent ones could
 * postpone a transition again and again.
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
  <SmallButton onClick={onClick}>Start again from page 1</SmallButton>
);
