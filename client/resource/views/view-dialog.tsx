import { Button, Checkbox, Group, Modal, Stack, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import type { SavedView, ViewResource } from '../../../shared/dashboard.ts';
import { changeViews, type ViewsChange } from '../../api/views.ts';
import { type Failure, FailurePanel } from '../../ui/feedback/failure-panel.tsx';
import { toast } from '../../ui/feedback/toasts.tsx';
import { useSingleFlight } from '../../ui/hooks/use-single-flight.ts';
import { adding, changing, nameIn, nameProblem, removing, searchProblem } from './view-changes.ts';
import { newViewId, searchOf } from './views.ts';

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
