import { Alert, Button, Group, Stack } from '@mantine/core';
import { type QueryKey, type UseQueryOptions, useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { type ComponentType, Fragment, type ReactNode, useCallback, useDeferredValue, useEffect, useRef } from 'react';
import type { CountIn, CursorPage } from '../api/cursor-page.ts';
import { useCan } from '../api/session.ts';
import { idInPath } from '../lib/encoding.ts';
import { FailurePanel } from '../ui/failure-panel.tsx';
import { IconClockX } from '../ui/icons.tsx';
import { PageHeading } from '../ui/layout.tsx';
import { ListSkeleton } from '../ui/loading.tsx';
import { NoAccessPage, StatePanel } from '../ui/state-panel.tsx';
import type { Columns } from './columns.tsx';
import type { PageParams, ShownPage } from './cursor-list.ts';
import {
  type CursorList,
  type PagedSearch,
  type ParamsOf,
  pageParams,
  useCursorList,
  usePagesWalked,
} from './cursor-list.ts';
import { useChangeSearch } from './filter-bar.tsx';
import { formatPage, KeyLegend, PageLine, Pager, TotalAtEnd } from './pager.tsx';
import type { ResourceDefinition } from './resource.ts';
import { type ResourceRows, resourceRows } from './rows.ts';
import { sortedBy } from './search.tsx';
import { type Selection, useSelection } from './selection.tsx';
import { ResourceTable } from './table.tsx';
import { WithViews } from './views-menu.tsx';

type PageQuery<T, Search extends PagedSearch, Raw, Key extends QueryKey> = (
  params: ParamsOf<Search>,
) => UseQueryOptions<Raw, Error, CursorPage<T>, Key>;

/** The part of a list page that is specific to its resource. */
interface ListPart<T, Search extends PagedSearch, Name extends string, Raw, Key extends QueryKey>
  extends Omit<ListTexts<T, ParamsOf<Search>>, 'search'> {
  /** Above the list, for example <SearchFields>. */
  search: ReactNode | ((shown: ShownPage<T, ParamsOf<Search>> | undefined) => ReactNode);
  /** Of a list that is newest first, a lazy <NewerRowsButton>. */
  newer?: ComponentType<{ list: CursorList<T, ParamsOf<Search>> }>;
  /** Below the heading. */
  about: string;
  /** Beside the heading. */
  pageActions?: ComponentType;
  query: PageQuery<T, Search, Raw, Key>;
  /** Key prefix of every page's query. */
  pagesKey: QueryKey;
  /** How many there are, of a list that is not counted by its service. */
  countIn?: CountIn;
  /** Name of a row, for labels: "Select ada@example.org". */
  nameOf: (row: T) => string;
  columns: Columns<T, Name>;
}

/** Makes the page of a list, for the `list` of `definePages`. */
export function listPage<
  T extends { id: string },
  Search extends PagedSearch,
  Name extends string,
  Raw,
  Key extends QueryKey,
>(resource: ResourceDefinition<string, Search>, part: ListPart<T, Search, Name, Raw, Key>): ComponentType {
  const { about, pageActions: Actions, newer: Newer } = part;
  const rows = resourceRows(part);
  const actions = Actions && <Actions />;
  function List() {
    const list = useResourceList(resource, part);
    return (
      <ResourceList
        {...part}
        resource={resource}
        list={list}
        rows={rows}
        search={typeof part.search === 'function' ? part.search(list.shown) : part.search}
        newer={Newer && <Newer list={list} />}
        total={<TotalAtEnd shown={list.shown} what={resource.many} countIn={part.countIn} />}
      />
    );
  }
  return function ListPage() {
    const may = useCan();
    if (!may(resource.needs[0])) return <NoAccessPage title={resource.label} about={about} actions={actions} />;
    return (
      <>
        <PageHeading title={resource.label} about={about} actions={actions} />
        <List />
      </>
    );
  };
}

/** The list for the current URL. @param pagesKey key prefix of every page's query */
export function useResourceList<T, Search extends PagedSearch, Raw, Key extends QueryKey>(
  { search: parse }: Pick<ResourceDefinition<string, Search>, 'search'>,
  list: { query: PageQuery<T, Search, Raw, Key>; pagesKey: QueryKey },
): CursorList<T, ParamsOf<Search>> {
  const search = parse?.(useSearch({ strict: false })) ?? ({} as Search);
  const params = pageParams(search, usePagesWalked());
  return useCursorList({ params, result: useQuery(list.query(params)), pagesKey: list.pagesKey });
}

export type ListedResource = Pick<ResourceDefinition, 'to' | 'label' | 'one' | 'many'>;

/** What differs between the lists of resources. */
export interface ListTexts<T, Params extends PageParams> {
  /** The service that stores them: "The identity service". */
  service: string;
  /** Above the list, for example <SearchFields>. */
  search: ReactNode;
  /** Shown when a search finds nothing; undefined if these params are not a search. */
  noMatch: (params: Params, page: CursorPage<T>) => ReactNode | undefined;
  /** Shown when the list is empty: how records get there. */
  noData: string;
  /** A sentence about the order of the rows. */
  order?: string | undefined;
  /** Actions on the selected rows with their dialog, which stays even if the rows disappear. */
  actions: (selection: Selection<T>) => ReactNode;
}

interface ResourceListProps<T, Params extends PageParams> extends ListTexts<T, Params> {
  resource: ListedResource;
  list: CursorList<T, Params>;
  rows: ResourceRows<T>;
  /** Next to the page line, unless searching without an index; for example <Total>. */
  total: ReactNode;
  /** The order of the rows, if headings of columns change it. */
  sort?: string | undefined;
  /** Above the rows of a list that is newest first: <NewerRowsButton>. */
  newer?: ReactNode;
  /** Column chooser, next to the pager. */
  chooser?: ReactNode;
  /** The optional columns that are shown, for views; undefined for the default ones. */
  viewColumns?: string | undefined;
}

export function ResourceList<T extends { id: string }, Params extends PageParams>(props: ResourceListProps<T, Params>) {
  const { list: latest, resource } = props;
  const { to, many } = resource;
  // A new page's rows render in slices; until they are done, the page counts as loading.
  const shown = useDeferredValue(latest.shown);
  const list = shown === latest.shown ? latest : { ...latest, pending: true };
  const { pending, failure } = list;
  const search = useSearch({ strict: false });
  const navigate = useNavigate();
  const changeSearch = useChangeSearch();
  const hrefOf = useCallback((id: string) => `${to}/${idInPath(id)}`, [to]);
  const selection = useSelection(shown);
  const focusNext = useRef<string>(undefined);
  useEffect(() => {
    if (failure !== undefined || list.outdated) focusNext.current = undefined;
  }, [failure, list.outdated]);
  // Without permission there is nothing to search: show only the server's message.
  if (failure?.code === 'forbidden') return <FailurePanel error={failure} />;
  const noMatch = shown && props.noMatch(shown.params, shown.page);
  return (
    <Stack gap="md">
      <WithViews of={many} columns={props.viewColumns} counted={shown?.page.matches !== undefined}>
        {props.search}
      </WithViews>
      {failure !== undefined && <FailurePanel error={failure} onRetry={list.retry} />}
      {list.outdated && <OutdatedNotice service={props.service} startAgain={list.startAgain} />}
      {shown === undefined ? (
        pending && <ListSkeleton label={`Loading the ${many}`} rows={12} />
      ) : shown.page.rows.length === 0 ? (
        <>
          {props.newer}
          {(shown.page.next === undefined ? noMatch : undefined) ?? (
            <NoRows
              many={many}
              noData={props.noData}
              startAgain={shown.pages.length > 0 || shown.page.next !== undefined ? list.startAgain : undefined}
            />
          )}
        </>
      ) : (
        <>
          <Group gap="sm">
            <PageLine
              status={pending ? 'Loading…' : formatPage(shown, resource, noMatch !== undefined)}
              total={(noMatch === undefined || shown.page.matches !== undefined) && props.total}
            />
            {props.chooser}
            <Pager list={list} />
          </Group>
          {props.newer}
          <div key={JSON.stringify(shown.params)}>
            <ResourceTable
              label={resource.label}
              page={shown.page.rows}
              rows={props.rows}
              busy={pending}
              selection={selection}
              sorting={
                props.sort === undefined
                  ? undefined
                  : {
                      sort: props.sort,
                      onSort(sort) {
                        focusNext.current = `[data-sort="${sortedBy(sort)}"]`;
                        changeSearch({ sort });
                      },
                    }
              }
              focusNext={focusNext}
              hrefOf={hrefOf}
              open={(id) =>
                void navigate({
                  to: `${to}/$id`,
                  params: { id },
                  state: { fromList: { search, pages: shown.pages, scrolled: scrollY } },
                })
              }
              next={list.next}
              previous={list.previous}
            />
            <KeyLegend order={props.order} />
          </div>
        </>
      )}
      <Fragment key={JSON.stringify(shown?.params)}>{props.actions(selection)}</Fragment>
    </Stack>
  );
}

/** The list is empty, or it ended on the previous page. */
function NoRows(props: { many: string; noData: string; startAgain: (() => void) | undefined }) {
  const { many } = props;
  if (props.startAgain === undefined) return <StatePanel kind="no-data" title={`No ${many} yet`} text={props.noData} />;
  return (
    <StatePanel
      kind="no-data"
      title={`No more ${many}`}
      text="The list ended on the previous page."
      actions={<StartAgain onClick={props.startAgain} />}
    />
  );
}

/** The service no longer accepts the cursor of a page. */
export function OutdatedNotice({ service, startAgain }: { service: string; startAgain: () => void }) {
  return (
    <Alert role="alert" variant="default" icon={<IconClockX size={24} />} title="This page has expired">
      <Stack gap="xs">
        {service} no longer knows where that page begins. The last page that loaded is shown below.
        <Group>
          <StartAgain onClick={startAgain} />
        </Group>
      </Stack>
    </Alert>
  );
}

export const StartAgain = ({ onClick }: { onClick: () => void }) => (
  <Button size="xs" variant="default" onClick={onClick}>
    Start again from page 1
  </Button>
);
