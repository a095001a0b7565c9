import '@mantine/core/styles/InlineInput.layer.css';
import '@mantine/core/styles/Checkbox.layer.css';
import { Button, Checkbox, Group, NativeSelect, Stack, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { type Failure, FailurePanel } from '../../ui/feedback/failure-panel.tsx';
import { SecretTextarea } from '../../ui/form/secret-textarea.tsx';
import { KNOWN_PROVIDERS } from './known-providers.ts';
import type { DraftProblems } from './provider-draft.ts';
import type { ProviderDraft } from './provider-steps.ts';

const OTHER = 'other';

export function ProviderForm(props: {
  draft: ProviderDraft;
  change: (members: Partial<ProviderDraft>) => void;
  /** The name cannot be chosen any more. */
  named: boolean;
  /** Names that are not offered. */
  taken: readonly string[];
  secretStored: boolean;
  /** Its client id is stored as ciphertext. */
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
        <TextInput
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
          description={props.secretStored ? 'One is stored, encrypted. Leave empty to keep it.' : 'Stored encrypted.'}
          error={problems.clientSecret}
          value={draft.clientSecret}
          onChange={(event) => change({ clientSecret: event.currentTarget.value })}
        />
        <TextInput
          label="Display name"
          description="On the button: “Continue with …”"
          value={draft.displayName}
          onChange={(event) => change({ displayName: event.currentTarget.value })}
        />
        <TextInput
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
          <FailurePanel
            error={props.failure}
            title="Not all of it is saved: a new provider, or one with other credentials, stays disabled"
          />
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

/** One of the known ones, which fills in what is usual for it, or any other by its name. */
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
          { value: OTHER, label: 'Another one…' },
        ]}
        onChange={(event) => choose(event.currentTarget.value)}
      />
      {chosen === OTHER && (
        <TextInput
          label="Name"
          description="As the identity service knows it: its id there"
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
