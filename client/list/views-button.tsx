import { Button, Text } from '@mantine/core';
import { useClickOutside } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { type ReactNode, useRef, useState } from 'react';
import { type SavedView, VIEW_RESOURCES, type ViewResource } from '../../shared/dashboard.ts';
import { viewsQuery } from '../api/views.ts';
import { visibleText } from '../lib/visible-text.ts';
import { lazyPart } from '../ui/lazy-part.tsx';
import classes from './list.module.css';
import { viewAt, viewSearch, viewsOf } from './saved-views.ts';

const ViewsPanel = lazyPart(() => import('./views.tsx'), 'ViewsPanel');
const ViewDialog = lazyPart(() => import('./views.tsx'), 'ViewDialog');

/**
 * The search of a list with a button for its saved views, if the list has any.
 * @param props.of the resource's plural name
 * @param props.columns the operator's columns; undefined for the defaults
 * @param props.counted whether the index can count matches
 */
export function WithViews(props: { of: string; columns?: string | undefined; counted?: boolean; children: ReactNode }) {
  const resource = VIEW_RESOURCES.find((one) => one === props.of);
  const address: Record<string, unknown> = useSearch({ strict: false });
  const { page_size: _, ...search } = address;
  const [edited, setEdited] = useState<SavedView | 'new'>();
  const [open, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const menu = useClickOutside<HTMLDivElement>(() => setOpen(false));
  if (resource === undefined) return props.children;
  const close = (): void => {
    setOpen(false);
    setEdited(undefined);
    button.current?.focus();
  };
  const current = viewSearch({ ...address, ...(props.columns !== undefined && { columns: props.columns }) });
  return (
    <div className={classes.search}>
      {props.children}
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the key is pressed within */}
      <div
        ref={menu}
        className={classes.viewsMenu}
        onKeyDown={({ key }) => key === 'Escape' && edited === undefined && close()}
      >
        {Object.values(search).some(Boolean) && <CurrentView resource={resource} />}
        <Button ref={button} variant="default" aria-expanded={open} onClick={() => setOpen(!open)}>
          Views
        </Button>
        {open && (
          <ViewsPanel
            resource={resource}
            search={current}
            counted={props.counted}
            onEdit={(view) => {
              setOpen(false);
              setEdited(view);
            }}
            onClose={close}
          />
        )}
        {edited !== undefined && (
          <ViewDialog
            resource={resource}
            view={edited === 'new' ? undefined : edited}
            search={current}
            onClose={close}
          />
        )}
      </div>
    </div>
  );
}

/** The name of the current view; nothing if the search is not a view. */
function CurrentView({ resource }: { resource: ViewResource }) {
  const { data } = useQuery(viewsQuery);
  const search: Record<string, unknown> = useSearch({ strict: false });
  const view = viewAt(viewsOf(resource, data?.views ?? []), search);
  return (
    view && (
      <Text size="sm" fw={500} className={classes.currentView} title="Current view">
        <bdi>{visibleText(view.name)}</bdi>
      </Text>
    )
  );
}
