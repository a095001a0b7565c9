import { Alert, Button, Group, Stack } from '@mantine/core';
import { useSearch } from '@tanstack/react-router';
import { Fragment, type ReactNode, useDeferredValue, useEffect, useRef } from 'react';
import { EmptyState } from '../../ui/feedback/empty-state.tsx';
import { FailurePanel } from '../../ui/feedback/failure-panel.tsx';
import { ListSkeleton } from '../../ui/loading/list-skeleton.tsx';
import { IconClockX } from '../icons.ts';
import type { ResourceName } from '../resource-name.ts';
import { formatPage } from './format-page.ts';
import { KeyLegend } from './key-legend.tsx';
import { PageLine } from './page-line.tsx';
import type { ListPosition } from './page-step.ts';
import { Pager } from './pager.tsx';
import { type ResourceRows, ResourceTable } from './resource-table.tsx';
import type { PageParams } from './shown-page.ts';
import type { CursorList } from './use-cursor-list.ts';
import { type Selection, useSelection } from './use-selection.ts';

/** What is particular to the list of one resource; everything else is the same for all of them. */
export interface ResourceListProps<T, Q extends PageParams> {
  name: ResourceName;
  list: CursorList<T, Q>;
  rows: ResourceRows<T>;
  /** @param from goes into the state `fromList` of the page that is opened, which leads back to it */
  open: (id: string, from: ListPosition) => void;
  /** The field above the list. */
  search: ReactNode;
  /** In the place of the rows of a search that finds none; undefined for a question that searches for nothing. */
  noMatch: (question: Q) => ReactNode | undefined;
  /** When there is nothing at all, nothing being searched for: how something comes to be there. */
  noData: string;
  /** Beside the page line while nothing is searched for, for example <Total>. */
  total?: ReactNode;
  /** Beside the pager: which columns to show. */
  columns?: ReactNode;
  /** A sentence on the order of the rows. */
  order: string;
  /** What can be done to the chosen rows, and the dialog in which it is done: that stands whatever becomes of the rows. */
  actions: (selection: Selection<T>) => ReactNode;
}

export function ResourceList<T extends { id: string }, Q extends PageParams>(props: ResourceListProps<T, Q>) {
  const { name, list: latest } = props;
  // The rows of another page are worked on in pieces; until they stand, the page is still on its way.
  const shown = useDeferredValue(latest.shown);
  const list = shown === latest.shown ? latest : { ...latest, pending: true };
  const { pending, failure } = list;
  const search = useSearch({ strict: false });
  const selection = useSelection(shown);
  const focusNext = useRef(false);
  useEffect(() => {
    if (failure !== undefined || list.outdated) focusNext.current = false;
  }, [failure, list.outdated]);
  // Without the right to see it there is nothing to search in: the server's words stand alone.
  if (failure?.code === 'forbidden') return <FailurePanel error={failure} />;
  const noMatch = shown && props.noMatch(shown.question);
  return (
    <Stack gap="md">
      {props.search}
      {failure !== undefined && <FailurePanel error={failure} onRetry={list.retry} />}
      {list.outdated && <OutdatedNotice service={name.service} startAgain={list.startAgain} />}
      {shown === undefined ? (
        pending && <ListSkeleton label={`Loading the ${name.many}`} rows={12} />
      ) : shown.page.rows.length === 0 ? (
        (noMatch ?? (
          <NoRows name={name} noData={props.noData} startAgain={shown.pages.length > 0 ? list.startAgain : undefined} />
        ))
      ) : (
        <>
          <Group gap="sm">
            <PageLine
              status={pending ? 'Loading…' : formatPage(shown, name, noMatch !== undefined)}
              total={noMatch === undefined && props.total}
            />
            {props.columns}
            <Pager list={list} />
          </Group>
          <div key={JSON.stringify(shown.question)}>
            <ResourceTable
              label={name.listTitle}
              page={shown.page.rows}
              rows={props.rows}
              busy={pending}
              selection={selection}
              focusNext={focusNext}
              open={(id) => props.open(id, { search, pages: shown.pages, scrolled: scrollY })}
              next={list.next}
              previous={list.previous}
            />
            <KeyLegend order={props.order} />
          </div>
        </>
      )}
      <Fragment key={JSON.stringify(shown?.question)}>{props.actions(selection)}</Fragment>
    </Stack>
  );
}

/** Nothing there at all, or nothing after the page before. */
function NoRows(props: { name: ResourceName; noData: string; startAgain: (() => void) | undefined }) {
  const { many } = props.name;
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

function OutdatedNotice({ service, startAgain }: { service: string; startAgain: () => void }) {
  return (
    <Alert role="alert" variant="default" icon={<IconClockX size={24} />} title="This page link is too old">
      <Stack gap="xs">
        {service} no longer knows where that page begins. What was shown last is still shown below.
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
