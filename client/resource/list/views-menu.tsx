import { Button } from '@mantine/core';
import { useSearch } from '@tanstack/react-router';
import { type ReactNode, useId, useState } from 'react';
import { VIEW_RESOURCES } from '../../../shared/dashboard.ts';
import { lazyDialog } from '../../ui/loading/lazy-part.tsx';
import classes from './views-menu.module.css';

const CurrentView = lazyDialog(() => import('../views/views-panel.tsx'), 'CurrentView');
const ViewsPanel = lazyDialog(() => import('../views/views-panel.tsx'), 'ViewsPanel');

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
