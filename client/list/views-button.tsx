import { useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { type SavedView, VIEW_RESOURCES } from '../../shared/dashboard.ts';
import { viewsQuery } from '../api/views.ts';
import { visibleText } from '../lib/visible-text.ts';
import { lazyPart } from '../ui/lazy-part.tsx';
import classes from './list.module.css';
import { viewMatching, viewSearch, viewsOf } from './saved-views.ts';
import { PopoverButton } from './toolbar.tsx';

const ViewsPanel = lazyPart(() => import('./views.tsx'), 'ViewsPanel');
const ViewDialog = lazyPart(() => import('./views.tsx'), 'ViewDialog');

/**
 * A button with the saved views of a list, for its `Toolbar`.
 * @param props.of the plural name of the resource
 * @param props.columns the operator's columns; undefined for the defaults
 * @param props.counted whether the index can count matches
 */
export function ViewsButton(props: { of: string; columns?: string | undefined; counted?: boolean }) {
  const resource = VIEW_RESOURCES.find((one) => one === props.of);
  const address: Record<string, unknown> = useSearch({ strict: false });
  const [edited, setEdited] = useState<SavedView | 'new'>();
  const [open, setOpen] = useState(false);
  const area = useRef<HTMLDivElement>(null);
  const { data } = useQuery({ ...viewsQuery, enabled: resource !== undefined && viewSearch(address) !== '' });
  if (resource === undefined) return null;
  const view = viewMatching(viewsOf(resource, data?.views ?? []), address);
  const current = viewSearch({ ...address, ...(props.columns !== undefined && { columns: props.columns }) });
  return (
    <div ref={area}>
      <PopoverButton
        box={classes.currentView}
        aria-label={view && `Views: ${visibleText(view.name)}`}
        title={view && 'Current view'}
        open={open}
        setOpen={setOpen}
        panel={(close) => (
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
      >
        {view === undefined ? 'Views' : <bdi>{visibleText(view.name)}</bdi>}
      </PopoverButton>
      {edited !== undefined && (
        <ViewDialog
          resource={resource}
          view={edited === 'new' ? undefined : edited}
          search={current}
          onClose={() => {
            setEdited(undefined);
            area.current?.querySelector('button')?.focus();
          }}
        />
      )}
    </div>
  );
}
