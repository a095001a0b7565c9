import { Button, Checkbox, Group, NativeSelect, Stack } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { socialSettingsQuery } from '../../api/settings.ts';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { type Failure, FailurePanel } from '../../ui/failure-panel.tsx';
import { SecretTextarea, StoredTextInput } from '../../ui/fields.tsx';
import { useSingleFlight } from '../../ui/hooks.tsx';
import { Modal } from '../../ui/modal.tsx';
import { CallbackAddress } from './callback-address.tsx';
import {
  type DraftProblems,
  draftOf,
  draftProblems,
  EMPTY_DRAFT,
  offerProviderUndo,
  type ProviderDraft,
  stepsToRemove,
  stepsToSave,
  useSteps,
} from './provider-steps.ts';
import { KNOWN_PROVIDERS, providerTitle, type StoredProvider, storedOrder, storedProviders } from './providers.ts';

/**
 * Adds a provider, or edits the one with this name. After a failed step, a retry starts from what is stored by then.
 */
export function ProviderDialog({ name, onClose }: { name: string | undefined; onClose: () => void }) {
  const { data: settings = [] } = useQuery(socialSettingsQuery);
  const providers = storedProviders(settings);
  const [begun, setBegun] = useState(name !== undefined);
  const [draft, setDraft] = useState(() => {
    const opened = providers.find((provider) => provider.name === name);
    return opened === undefined ? EMPTY_DRAFT : draftOf(opened);
  });
  const [problems, setProblems] = useState<DraftProblems>({});
  const [failure, setFailure] = useState<Failure>();
  const { run, pending } = useSingleFlight();
  const runSteps = useSteps();
  const queryClient = useQueryClient();
  const before = providers.find((provider) => provider.name === draft.name);

  const save = (): void => {
    const found = draftProblems(draft, before, begun);
    setProblems(found);
    if (Object.keys(found).length > 0) return;
    void run(async () => {
      setFailure(undefined);
      setBegun(true);
      try {
        const changes = await runSteps(stepsToSave(draft, before, storedOrder(settings)));
        offerProviderUndo(`${providerTitle(draft)} is saved`, before, changes, queryClient);
        onClose();
      } catch (error) {
        setFailure(error as Error);
      }
    });
  };
  return (
    <Modal
      opened
      onClose={() => !pending && onClose()}
      title={name === undefined ? 'Add a provider' : `Edit ${providerTitle(draft)}`}
      closeButtonProps={{ 'aria-label': 'Close', disabled: pending }}
    >
      <ProviderForm
        draft={draft}
        change={(members) => setDraft({ ...draft, ...members })}
        named={begun}
        taken={providers.map((provider) => provider.name)}
        secretStored={before?.stored.has('client_secret') === true}
        idHidden={before?.stored.has('client_id') === true && before.clientId === ''}
        problems={problems}
        failure={failure}
        pending={pending}
        onSubmit={save}
        onCancel={onClose}
      />
    </Modal>
  );
}

export function RemoveProvider({ provider, onClose }: { provider: StoredProvider; onClose: () => void }) {
  const { data: settings = [] } = useQuery(socialSettingsQuery);
  const runSteps = useSteps();
  const queryClient = useQueryClient();
  const title = providerTitle(provider);
  return (
    <ConfirmDialog
      title={`Remove ${title}?`}
      consequences={[
        'Login pages stop offering it within a minute. Anyone without another way to sign in is locked out.',
        'Its settings are deleted, client id and secret included. “Undo” brings them back right afterwards, later each comes back from its own history. To pause it, disable it instead.',
        'It is disabled first: if a later step fails, it stays disabled and you can try again.',
      ]}
      typed={provider.name}
      action="Remove"
      onClose={onClose}
      act={async () => {
        const changes = await runSteps(stepsToRemove(provider, storedOrder(settings)));
        offerProviderUndo(`${title} is removed`, provider, changes, queryClient);
        document.querySelector<HTMLElement>('[data-page-heading]')?.focus();
      }}
    />
  );
}

const OTHER = 'other';

export function ProviderForm(props: {
  draft: ProviderDraft;
  change: (members: Partial<ProviderDraft>) => void;
  /** The name can no longer be changed. */
  named: boolean;
  /** Names in use, which are not offered. */
  taken: readonly string[];
  secretStored: boolean;
  /** The client id is stored encrypted. */
  idHidden: boolean;
  problems: DraftProblems;
  failure: Failure | undefined;
  pending: boolean;
  onSubmit: () => void;
  onCancel: () => void;
}) {
  const { draft, change, problems } = props;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    props.onSubmit();
  };
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        {!props.named && <ProviderChoice {...props} />}
        {draft.name !== '' && <CallbackAddress provider={draft.name} />}
        <StoredTextInput
          label="Client id"
          placeholder={props.idHidden ? 'Stored encrypted; leave empty to keep it' : undefined}
          autoComplete="off"
          spellCheck={false}
          data-autofocus={props.named || undefined}
          error={problems.clientId}
          value={draft.clientId}
          onChange={(event) => change({ clientId: event.currentTarget.value })}
        />
        <SecretTextarea
          secret
          label="Client secret"
          description={props.secretStored ? 'Stored encrypted; leave empty to keep it' : 'Stored encrypted.'}
          error={problems.clientSecret}
          value={draft.clientSecret}
          onChange={(event) => change({ clientSecret: event.currentTarget.value })}
        />
        <StoredTextInput
          label="Display name"
          description="On the button: “Continue with …”"
          value={draft.displayName}
          onChange={(event) => change({ displayName: event.currentTarget.value })}
        />
        <StoredTextInput
          label="Scopes"
          description="Separated by spaces"
          spellCheck={false}
          value={draft.scopes}
          onChange={(event) => change({ scopes: event.currentTarget.value })}
        />
        <Checkbox
          label="Enabled"
          checked={draft.enabled}
          onChange={(event) => change({ enabled: event.currentTarget.checked })}
        />
        {props.failure !== undefined && (
          <FailurePanel error={props.failure} title="Partly saved: a provider with new credentials stays disabled" />
        )}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={props.onCancel} disabled={props.pending}>
            Cancel
          </Button>
          <Button type="submit" loading={props.pending}>
            Save
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

/** A known provider, which fills in its usual values, or any other by name. */
function ProviderChoice(props: {
  draft: ProviderDraft;
  change: (members: Partial<ProviderDraft>) => void;
  taken: readonly string[];
  problems: DraftProblems;
}) {
  const { draft, change, taken, problems } = props;
  const [chosen, setChosen] = useState('');
  const choose = (name: string): void => {
    setChosen(name);
    const known = KNOWN_PROVIDERS.get(name);
    change({
      name: known === undefined ? '' : name,
      displayName: known?.displayName ?? '',
      scopes: known?.scopes ?? '',
    });
  };
  return (
    <>
      <NativeSelect
        data-autofocus
        label="Provider"
        error={chosen === OTHER ? undefined : problems.name && 'Choose a provider.'}
        value={chosen}
        data={[
          { value: '', label: 'Choose…', disabled: true },
          ...[...KNOWN_PROVIDERS].map(([name, { displayName }]) => ({
            value: name,
            label: taken.includes(name) ? `${displayName} (already added)` : displayName,
            disabled: taken.includes(name),
          })),
          { value: OTHER, label: 'Other…' },
        ]}
        onChange={(event) => choose(event.currentTarget.value)}
      />
      {chosen === OTHER && (
        <StoredTextInput
          label="Name"
          description="The provider’s id in the identity service"
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          error={problems.name}
          value={draft.name}
          onChange={(event) => change({ name: event.currentTarget.value.trim() })}
        />
      )}
    </>
  );
}
