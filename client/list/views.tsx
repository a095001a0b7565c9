import { Box, Button, Checkbox, Group, Text, TextInput } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { type SavedView, VIEWS_MAX, type ViewResource } from '../../shared/dashboard.ts';
import { identityCountQuery } from '../api/identity-search.ts';
import { changeViews, type ViewsChange, viewsQuery } from '../api/views.ts';
import { digits } from '../lib/format-count.ts';
import { shortened, visibleText } from '../lib/visible-text.ts';
import { IconButton, SmallButton } from '../ui/buttons.tsx';
import { FailureNote, FailurePanel } from '../ui/failure-panel.tsx';
import { useSingleFlight } from '../ui/hooks.tsx';
import { IconPencil } from '../ui/icons.tsx';
import { Dimmed } from '../ui/layout.tsx';
import { DialogForm, Modal } from '../ui/modal.tsx';
import { toast } from '../ui/toasts.tsx';
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
  VIEW_WIDGET,
  viewsOf,
} from './saved-views.ts';
import toolbarClasses from './toolbar.module.css';
import { PopoverPanel } from './toolbar.tsx';

const NONE: readonly SavedView[] = [];

/** The views of a list, with match counts if the index provides them. @param props.search the current search */
export function ViewsPanel(props: {
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
    <PopoverPanel label={`Views of ${LISTS[resource].label}`}>
      <Box component="ul" m={0} p={0}>
        {all.map((view) => (
          <Group component="li" key={view.id} gap={4} wrap="nowrap" pe={4}>
            <Link
              to={LISTS[resource].to}
              search={{ ...searchOf(view), page_size } as never}
              state={{}}
              className={toolbarClasses.option}
              activeOptions={{ exact: true }}
              onClick={onClose}
            >
              <bdi>{visibleText(view.name)}</bdi>
              {counted && <Count view={view} />}
            </Link>
            {!isBuiltIn(view) && (
              <IconButton
                label={`Change ${visibleText(view.name)}`}
                title="Rename, update or delete"
                onClick={() => onEdit(view)}
              >
                <IconPencil />
              </IconButton>
            )}
          </Group>
        ))}
      </Box>
      {all.length === 0 && data !== undefined && (
        <Dimmed p="xs">A view saves the filters, order and columns of this list under a name.</Dimmed>
      )}
      {error !== null && data === undefined && <FailureNote error={error} />}
      <Group justify="space-between" gap="sm" p="xs">
        <SmallButton reason={saveProblem(props.search, data?.views)} onClick={() => onEdit('new')}>
          Save as view…
        </SmallButton>
        {own.length > 0 && (
          <Dimmed size="xs">
            {own.length} of {VIEWS_MAX} views in all lists
          </Dimmed>
        )}
      </Group>
    </PopoverPanel>
  );
}

function Count({ view }: { view: SavedView }) {
  const { data } = useQuery(identityCountQuery(searchOf(view)));
  // People without any known session are among those without one for 90 days, and often are all of them.
  const { data: contained } = useQuery(identityCountQuery({ session: 'none' }));
  const isSame = view.search === 'session=none-90d' && data?.count === contained?.count;
  return (
    data && (
      <Text span inherit c="dimmed" fw={400}>
        {isSame ? 'the same people' : digits(data.count)}
      </Text>
    )
  );
}

/**
 * Saves the search of the list as a view, or changes or deletes a view.
 * @param props.view undefined for a new view
 * @param props.search the current search, in the format of a view
 */
export function ViewDialog(props: {
  resource: ViewResource;
  view: SavedView | undefined;
  search: string;
  onClose: () => void;
}) {
  const { resource, view, search, onClose } = props;
  const { data: { views } = { views: NONE } } = useQuery(viewsQuery);
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const { run, pending, failure } = useSingleFlight();
  const [id] = useState(() => view?.id ?? newViewId());
  const [typed, setTyped] = useState(view?.name ?? '');
  const [updates, setUpdates] = useState(false);
  const [isWidget, setWidget] = useState(false);
  const [submitted, setSubmitted] = useState(false);
  const name = nameIn(typed);
  const problem = nameProblem({ id, resource }, name, views);

  const store = (change: ViewsChange, done: string, leadTo?: string): Promise<void> =>
    run(async () => {
      await changeViews(queryClient, change);
      onClose();
      toast(done);
      if (isWidget) void navigate({ to: '/dashboard', search: { add: VIEW_WIDGET + id } as never });
      // A view has its columns in the URL.
      else if (leadTo !== undefined)
        void navigate({
          to: '.',
          search: (before) => ({ page_size: before.page_size, ...searchOf({ search: leadTo }) }) as never,
          state: true,
          replace: true,
        });
    });
  const submit = (): void => {
    setSubmitted(true);
    if (problem !== undefined) return;
    const change =
      view === undefined
        ? adding({ id, resource, name, search })
        : changing(id, { ...(name !== view.name && { name }), ...(updates && { search }) });
    void store(change, `Saved view “${shortened(name)}”`, view === undefined || updates ? search : undefined);
  };

  return (
    <Modal opened busy={pending} onClose={onClose} title={view === undefined ? 'Save as view' : 'Change view'}>
      <DialogForm
        onCancel={onClose}
        pending={pending}
        start={
          view !== undefined && (
            <Button
              variant="default"
              disabled={pending}
              onClick={() => void store(removing(id), `Deleted view “${shortened(view.name)}”`)}
            >
              Delete
            </Button>
          )
        }
        submit="Save"
        onSubmit={submit}
      >
        <TextInput
          data-autofocus
          label="Name"
          spellCheck
          value={typed}
          error={submitted ? problem : undefined}
          onChange={({ currentTarget }) => setTyped(currentTarget.value)}
        />
        {view !== undefined && search !== '' && search !== view.search && (
          <Checkbox
            label="Replace with the current filters, order and columns"
            description={searchProblem(search)}
            disabled={searchProblem(search) !== undefined}
            checked={updates}
            onChange={({ currentTarget }) => setUpdates(currentTarget.checked)}
          />
        )}
        {view === undefined && resource === 'identities' && (
          <Checkbox
            label="Show on the overview"
            checked={isWidget}
            onChange={({ currentTarget }) => setWidget(currentTarget.checked)}
          />
        )}
        {failure !== undefined && <FailurePanel error={failure} title="Not saved" />}
      </DialogForm>
    </Modal>
  );
}
