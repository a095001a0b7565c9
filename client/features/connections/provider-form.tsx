import { Button, Checkbox, Group, NativeSelect, Stack } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { type Failure, FailurePanel } from '../../ui/feedback/failure-panel.tsx';
import { SecretTextarea } from '../../ui/form/secret-textarea.tsx';
import { StoredTextInput } from '../../ui/form/stored-text-input.tsx';
import { CallbackAddress } from './callback-address.tsx';
import { KNOWN_PROVIDERS } from './known-providers.ts';
import type { DraftProblems } from './provider-draft.ts';
import type { ProviderDraft } from './provider-steps.ts';

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
