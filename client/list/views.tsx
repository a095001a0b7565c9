import { ActionIcon, Button, Checkbox, Group, Popover, Stack, Text, TextInput } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { type FormEvent, type ReactNode, useRef, useState } from 'react';
import { type SavedView, VIEW_RESOURCES, VIEWS_MAX, type ViewResource } from '../../shared/dashboard.ts';
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
import classes from './list.module.css';
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
  viewAt,
  viewSearch,
  viewsOf,
} from './saved-views.ts';

/**
 * The search of a list, and beside it the menu of its views, if it has any.
 * @param props.of the list: the resource's name for many
 * @param props.columns that the operator chose; undefined for the default ones
 * @param props.counted whether the index can count who matches
 */
export function WithViews(props: { of: string; columns?: string | undefined; counted?: boolean; children: ReactNode }) {
  const resource = VIEW_RESOURCES.find((one) => one === props.of);
  const address: Record<string, unknown> = useSearch({ strict: false });
  const { page_size: _, ...search } = address;
  const [edited, setEdited] = useState<SavedView | 'new'>();
  const [open, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
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
      <Group gap={8} wrap="nowrap" maw="100%" onKeyDown={({ key }) => key === 'Escape' && close()}>
        {Object.values(search).some(Boolean) && <CurrentView resource={resource} />}
        <Popover
          opened={open}
          onChange={setOpen}
          position="bottom-end"
          width="min(22rem, 100vw - 2rem)"
          withinPortal={false}
          withRoles={false}
          transitionProps={{ duration: 0 }}
          shadow="md"
        >
          <Popover.Target>
            <Button ref={button} variant="default" aria-expanded={open} onClick={() => setOpen(!open)}>
              Views
            </Button>
          </Popover.Target>
          <Popover.Dropdown p={0}>
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
          </Popover.Dropdown>
        </Popover>
        {edited !== undefined && (
          <ViewDialog
            resource={resource}
            view={edited === 'new' ? undefined : edited}
            search={current}
            onClose={close}
          />
        )}
      </Group>
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
      <Text size="sm" fw={500} truncate maw="min(16rem, 60vw)" title="Current view">
        <bdi>{visibleText(view.name)}</bdi>
      </Text>
    )
  );
}

const NONE: readonly SavedView[] = [];

/** The views of a list. Beside those of identities: how many match. @param props.search of the list now */
function ViewsPanel(props: {
  resource: ViewResource;
  search: string;
  counted: boolean | undefined;
  onEdit: (view: SavedView | 'new') => void;
  onClose: () => void;
}) {
  const { resource, counted, onEdit, onClose } = props;
  const { page_size }: { page_size?: number } = useSearch({ strict: false });
  const { data, error } = useQuery(viewsQuery);
  const own = data?.views ?? NONE;
  const all = viewsOf(resource, own);
  return (
    <Stack component="section" gap={0} mah="min(28rem, 70dvh)" aria-label={`Views of ${LISTS[resource].label}`}>
      <ul className={classes.views}>
        {all.map((view) => (
          <Group component="li" key={view.id} gap={4} wrap="nowrap" pe={4}>
            <Link
              to={LISTS[resource].to}
              search={{ ...searchOf(view), page_size } as never}
              state={{}}
              preload={false}
              className={classes.view}
              activeOptions={{ exact: true }}
              onClick={onClose}
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
                onClick={() => onEdit(view)}
              >
                <IconPencil size={16} />
              </ActionIcon>
            )}
          </Group>
        ))}
      </ul>
      {all.length === 0 && data !== undefined && (
        <Text size="sm" c="dimmed" px="md" pt={4} pb="sm">
          A view saves the filter, order and columns of this list under a name.
        </Text>
      )}
      {error !== null && data === undefined && <FailureNote error={error} />}
      <Group justify="space-between" gap="sm" px="sm" py={8} className={classes.viewsFoot}>
        <GuardedButton
          size="xs"
          variant="default"
          reason={saveProblem(props.search, data?.views)}
          onClick={() => onEdit('new')}
        >
          Save as view…
        </GuardedButton>
        {own.length > 0 && (
          <Text size="xs" c="dimmed">
            {own.length} of {VIEWS_MAX} views
          </Text>
        )}
      </Group>
    </Stack>
  );
}

function Count({ view }: { view: SavedView }) {
  const { data } = useQuery(identityCountQuery(searchOf(view)));
  return data && <span className={classes.count}>{digits(data.count)}</span>;
}

/**
 * Saves the search of the list as a view, or changes or deletes one.
 * @param props.view undefined for a new one
 * @param props.search of the list now, as a view stores it
 */
function ViewDialog(props: {
  resource: ViewResource;
  view: SavedView | undefined;
  search: string;
  onClose: () => void;
}) {
  const { resource, view, search, onClose } = props;
  const { data: { views } = { views: NONE } } = useQuery(viewsQuery);
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const { run, pending } = useSingleFlight();
  const [id] = useState(() => view?.id ?? newViewId());
  const [typed, setTyped] = useState(view?.name ?? '');
  const [updates, setUpdates] = useState(false);
  const [submitted, setSubmitted] = useState(false);
  const [failure, setFailure] = useState<Failure>();
  const name = nameIn(typed);
  const problem = nameProblem({ id, resource }, name, views);

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
    setSubmitted(true);
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
            error={submitted ? problem : undefined}
            onChange={({ currentTarget }) => setTyped(currentTarget.value)}
          />
          {view !== undefined && search !== '' && search !== view.search && (
            <Checkbox
              label="Replace with the current filters and columns"
              description={
                searchProblem(search) ?? 'The view gets the filter, order and columns that the list has now.'
              }
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
