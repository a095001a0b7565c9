import { Group, Stack } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { Fragment, type ReactNode, useCallback, useDeferredValue, useEffect, useRef } from 'react';
import type { CursorPage } from '../../api/cursor-page.ts';
import { idInPath } from '../../lib/id-in-path.ts';
import { EmptyState } from '../../ui/feedback/empty-state.tsx';
import { FailurePanel } from '../../ui/feedback/failure-panel.tsx';
import { ListSkeleton } from '../../ui/loading/list-skeleton.tsx';
import type { ResourceDefinition } from '../define-resource.ts';
import { formatPage } from './format-page.ts';
import { KeyLegend } from './key-legend.tsx';
import { OutdatedNotice } from './outdated-notice.tsx';
import { PageLine } from './page-line.tsx';
import { Pager } from './pager.tsx';
import type { ResourceRows } from './resource-rows.ts';
import { ResourceTable } from './resource-table.tsx';
import type { PageParams } from './shown-page.ts';
import { sortedBy } from './sort.ts';
import { StartAgain } from './start-again.tsx';
import { useChangeSearch } from './use-change-search.ts';
import type { CursorList } from './use-cursor-list.ts';
import { type Selection, useSelection } from './use-selection.ts';
import { WithViews } from './views-menu.tsx';

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
  if (props.startAgain === undefined) return <EmptyState kind="no-data" title={`No ${many} yet`} text={props.noData} />;
  return (
    <EmptyState
      kind="no-data"
      title={`No more ${many}`}
      text="The list ended on the previous page."
      actions={<StartAgain onClick={props.startAgain} />}
    />
  );
}
