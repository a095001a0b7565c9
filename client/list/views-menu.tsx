import { Button, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { type ReactNode, useId, useState } from 'react';
import { VIEW_RESOURCES, type ViewResource } from '../../shared/dashboard.ts';
import { viewsQuery } from '../api/views.ts';
import { visibleText } from '../lib/visible-text.ts';
import { lazyPart } from '../ui/lazy-part.tsx';
import classes from './views.module.css';
import { viewAt, viewsOf } from './views.ts';

const ViewsPanel = lazyPart(() => import('./views-panel.tsx'), 'ViewsPanel');

/**
 * What a list is searched for, and beside it the menu of its views, if it has any.
 * @param props.of the list: the resource's name for many
 * @param props.columns that the operator chose; undefined for the default ones
 * @param props.counted whether the index can count who matches
 */
export function WithViews(props: {
  of: string;
  columns?: string | undefined;
  counted?: boolean;
  children: ReactNode;
}): ReactNode {
  const { children, ...menu } = props;
  const resource = VIEW_RESOURCES.find((one) => one === menu.of);
  const { page_size: _, ...search }: Record<string, unknown> = useSearch({ strict: false });
  const [open, setOpen] = useState(false);
  const id = useId();
  if (resource === undefined) return children;
  return (
    <div className={classes.bar}>
      {children}
      <div className={classes.menu} data-views>
        {Object.values(search).some(Boolean) && <CurrentView resource={resource} />}
        <Button variant="default" aria-expanded={open} aria-controls={id} onClick={() => setOpen(!open)}>
          Views
        </Button>
        <div id={id}>{open && <ViewsPanel {...menu} resource={resource} onClose={() => setOpen(false)} />}</div>
      </div>
    </div>
  );
}

/** The name of the view that the address is one of; nothing for another address. */
function CurrentView({ resource }: { resource: ViewResource }) {
  const { data } = useQuery(viewsQuery);
  const search: Record<string, unknown> = useSearch({ strict: false });
  const view = viewAt(viewsOf(resource, data?.views ?? []), search);
  return (
    view && (
      <Text size="sm" fw={500} className={classes.current} title="The view that is shown">
        <bdi>{visibleText(view.name)}</bdi>
      </Text>
    )
  );
}
