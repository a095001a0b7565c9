import { ActionIcon, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useSearch } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { type SavedView, VIEWS_MAX, type ViewResource } from '../../../shared/dashboard.ts';
import { identityCountQuery } from '../../api/identity-count.ts';
import { viewsQuery } from '../../api/views.ts';
import { digits } from '../../format/counted.ts';
import { visibleText } from '../../format/visible-text.ts';
import { FailureNote } from '../../ui/feedback/failure-panel.tsx';
import { GuardedButton } from '../../ui/guarded-button.tsx';
import { IconPencil } from '../icons.ts';
import { saveProblem } from './view-changes.ts';
import { ViewDialog } from './view-dialog.tsx';
import { isBuiltIn, LISTS, searchOf, viewSearch, viewsOf } from './views.ts';
import classes from './views-panel.module.css';

const NONE: readonly SavedView[] = [];

/**
 * The views of a list, and the dialog to save, change or delete one. Beside those of identities stands how many match.
 * @param props.onClose nothing is shown any more; the focus is where it was
 */
export function ViewsPanel(props: {
  resource: ViewResource;
  columns?: string | undefined;
  counted?: boolean;
  onClose: () => void;
}) {
  const { resource, columns, counted = false, onClose } = props;
  const address: Record<string, unknown> = useSearch({ strict: false });
  const { data, error } = useQuery(viewsQuery);
  const own = data?.views ?? NONE;
  const all = viewsOf(resource, own);
  const search = viewSearch({ ...address, ...(columns !== undefined && { columns }) });
  const [edited, setEdited] = useState<SavedView | 'new'>();
  const panel = useRef<HTMLElement>(null);
  const close = (): void => {
    document.querySelector<HTMLElement>('[data-views] > button')?.focus();
    onClose();
  };
  useClosed(panel, edited === undefined, close, onClose);

  if (edited !== undefined)
    return (
      <ViewDialog
        resource={resource}
        view={edited === 'new' ? undefined : edited}
        search={search}
        views={own}
        onClose={close}
      />
    );
  return (
    <section ref={panel} className={classes.panel} aria-label={`Views of ${LISTS[resource].label}`}>
      <ul className={classes.views}>
        {all.map((view) => (
          <li key={view.id}>
            <Link
              to={LISTS[resource].to}
              search={{ ...searchOf(view), page_size: address['page_size'] } as never}
              state={{}}
              preload={false}
              className={classes.view}
              activeOptions={{ exact: true }}
              onClick={close}
            >
              <bdi>{visibleText(view.name)}</bdi>
              {counted && <Count view={view} />}
            </Link>
            {!isBuiltIn(view) && (
              <ActionIcon
                variant="subtle"
                color="gray"
                aria-label={`Change ${visibleText(view.name)}`}
                title="Rename, update or delete"
                onClick={() => setEdited(view)}
              >
                <IconPencil size={16} />
              </ActionIcon>
            )}
          </li>
        ))}
      </ul>
      {all.length === 0 && data !== undefined && (
        <Text size="sm" c="dimmed" className={classes.none}>
          A view keeps the filter of this list under a name.
        </Text>
      )}
      {error !== null && data === undefined && <FailureNote error={error} />}
      <div className={classes.foot}>
        <GuardedButton
          size="xs"
          variant="default"
          reason={saveProblem(search, data?.views)}
          onClick={() => setEdited('new')}
        >
          Save as view…
        </GuardedButton>
        {own.length > 0 && (
          <Text size="xs" c="dimmed">
            {own.length} of {VIEWS_MAX} views
          </Text>
        )}
      </div>
    </section>
  );
}

function Count({ view }: { view: SavedView }) {
  const { data } = useQuery(identityCountQuery(searchOf(view)));
  return data && <span className={classes.count}>{digits(data.count)}</span>;
}

/**
 * Closes the panel on Escape, and on a press elsewhere. A press on its button is left to that.
 * @param close gives the focus back as well
 */
function useClosed(
  panel: { current: HTMLElement | null },
  enabled: boolean,
  close: () => void,
  onClose: () => void,
): void {
  const latest = useRef({ close, onClose });
  latest.current = { close, onClose };
  useEffect(() => {
    if (!enabled) return;
    const onPress = ({ target }: PointerEvent): void => {
      if (!panel.current?.closest('[data-views]')?.contains(target as Node)) latest.current.onClose();
    };
    const onKey = ({ key }: KeyboardEvent): void => {
      if (key === 'Escape') latest.current.close();
    };
    document.addEventListener('pointerdown', onPress, true);
    document.addEventListener('keydown', onKey);
    return () => {
      document.removeEventListener('pointerdown', onPress, true);
      document.removeEventListener('keydown', onKey);
    };
  }, [panel, enabled]);
}
