import { ActionIcon, Button, Checkbox, Group, Stack, Text, TextInput } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { type SavedView, VIEWS_MAX, type ViewResource } from '../../shared/dashboard.ts';
import { identityCountQuery } from '../api/identity-search.ts';
import { changeViews, type ViewsChange, viewsQuery } from '../api/views.ts';
import { digits } from '../lib/format-count.ts';
import { visibleText } from '../lib/visible-text.ts';
import { GuardedButton } from '../ui/buttons.tsx';
import { type Failure, FailureNote, FailurePanel } from '../ui/failure-panel.tsx';
import { useSingleFlight } from '../ui/hooks.tsx';
import { IconPencil } from '../ui/icons.tsx';
import { Modal } from '../ui/modal.tsx';
import { toast } from '../ui/toasts.tsx';
import classes from './views.module.css';
import {
  adding,
  changing,
  isBuiltIn,
  LISTS,
  nameIn,
  nameProblem,
  newViewId,
  removing,
  saveProblem,
  searchOf,
  searchProblem,
  viewSearch,
  viewsOf,
} from './views.ts';

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

/**
 * Saves what the list is searched for as a view, or changes or deletes one.
 * @param props.view undefined for a new one
 * @param props.search what the list's address would keep as a view now
 * @param props.views all of the operator's
 */
export function ViewDialog(props: {
  resource: ViewResource;
  view: SavedView | undefined;
  search: string;
  views: readonly SavedView[];
  onClose: () => void;
}) {
  const { resource, view, search, onClose } = props;
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const { run, pending } = useSingleFlight();
  const [id] = useState(() => view?.id ?? newViewId());
  const [typed, setTyped] = useState(view?.name ?? '');
  const [updates, setUpdates] = useState(false);
  const [asked, setAsked] = useState(false);
  const [failure, setFailure] = useState<Failure>();
  const name = nameIn(typed);
  const problem = nameProblem({ id, resource }, name, props.views);

  const store = (change: ViewsChange, done: string, leadTo?: string): Promise<void> =>
    run(async () => {
      setFailure(undefined);
      try {
        await changeViews(queryClient, change);
      } catch (error) {
        setFailure(error as Failure);
        return;
      }
      onClose();
      toast(done);
      // The columns of a view stand in its address.
      if (leadTo !== undefined)
        void navigate({
          to: '.',
          search: (before) => ({ page_size: before.page_size, ...searchOf({ search: leadTo }) }) as never,
          state: true,
          replace: true,
        });
    });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    setAsked(true);
    if (problem !== undefined) return;
    if (view === undefined) void store(adding({ id, resource, name, search }), `View “${name}” saved.`, search);
    else
      void store(
        changing(id, { ...(name !== view.name && { name }), ...(updates && { search }) }),
        `View “${name}” changed.`,
        updates ? search : undefined,
      );
  };

  return (
    <Modal
      opened
      onClose={() => !pending && onClose()}
      title={view === undefined ? 'Save as view' : 'Change view'}
      closeButtonProps={{ 'aria-label': 'Close', disabled: pending }}
    >
      <form onSubmit={submit} noValidate>
        <Stack gap="md">
          <TextInput
            data-autofocus
            label="Name"
            autoComplete="off"
            value={typed}
            error={asked ? problem : undefined}
            onChange={({ currentTarget }) => setTyped(currentTarget.value)}
          />
          {view !== undefined && search !== '' && search !== view.search && (
            <Checkbox
              label="Update to what the list shows now"
              description={searchProblem(search) ?? 'Its filter, order and columns instead of those of the view.'}
              disabled={searchProblem(search) !== undefined}
              checked={updates}
              onChange={({ currentTarget }) => setUpdates(currentTarget.checked)}
            />
          )}
          {failure !== undefined && <FailurePanel error={failure} title="Not saved" />}
          <Group gap="xs" justify="space-between">
            {view !== undefined && (
              <Button
                variant="default"
                disabled={pending}
                onClick={() => void store(removing(id), `View “${view.name}” deleted.`)}
              >
                Delete
              </Button>
            )}
            <Group gap="xs" ml="auto">
              <Button variant="default" onClick={onClose} disabled={pending}>
                Cancel
              </Button>
              <Button type="submit" loading={pending}>
                Save
              </Button>
            </Group>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
