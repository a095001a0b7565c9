import { Alert, Button, Checkbox, NativeSelect, Stack, TextInput } from '@mantine/core';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { membersOf, text } from '../../../shared/json.ts';
import { identityPublic, request, unreadableResponse } from '../../api/request.ts';
import { useOperator } from '../../api/session.ts';
import { socialSettingsQuery } from '../../api/settings.ts';
import { storedDraft } from '../../lib/tab-storage.ts';
import { shortened, withoutBlanks } from '../../lib/visible-text.ts';
import { sameJson } from '../../record/member-changes.ts';
import { DraftRefused, useRecordForm } from '../../record/record-form.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { CopyButton } from '../../ui/copy.tsx';
import { FailurePanel } from '../../ui/failure-panel.tsx';
import { SecretTextarea, StoredTextInput } from '../../ui/fields.tsx';
import { DialogFooter, Modal } from '../../ui/modal.tsx';
import {
  draftOf,
  draftProblems,
  EMPTY_DRAFT,
  type ProviderDraft,
  stepsToRemove,
  stepsToSave,
  useSteps,
} from './provider-steps.ts';
import { KNOWN_PROVIDERS, providerTitle, type StoredProvider, storedOrder, storedProviders } from './providers.ts';

const STORED_AS = 'connections.draft';

/** Whether this tab stored a draft of the named provider, or of a new one, before a sign-in. */
export function useStoredDraft(name: string | undefined): boolean {
  const { identityId: operator } = useOperator();
  const [isStored] = useState(() => storedDraft(STORED_AS, { operator, of: name ?? '' }) !== undefined);
  return isStored;
}

interface DialogProps {
  /** The provider to edit; undefined for a new one. */
  name: string | undefined;
  onClose: () => void;
}

export function ProviderDialog(props: DialogProps) {
  const { name } = props;
  const { settingsQuery, providers, before, exists, form } = useProviderForm(props);
  const { draft, change, problems, pending } = form;
  const isIdEncrypted = hasEncryptedId(before);
  const field = (name: 'clientId' | 'clientSecret' | 'displayName' | 'scopes') => ({
    value: draft[name],
    onChange: (event: { currentTarget: { value: string } }) => change({ [name]: event.currentTarget.value }),
  });
  return (
    <Modal
      opened
      busy={pending}
      onClose={form.close}
      title={name === undefined ? 'Add provider' : `Edit ${providerTitle(draft)}`}
    >
      <form {...form.formProps}>
        <Stack gap="md">
          {form.restored && (
            <Alert variant="light" title="Your unsaved changes were restored">
              Secret values are not restored. Enter the client secret again.
            </Alert>
          )}
          {!exists && (
            <ProviderChoice
              draft={draft}
              change={change}
              taken={providers.map((provider) => provider.name)}
              problem={problems.name}
            />
          )}
          {draft.name !== '' && <CallbackAddress provider={draft.name} />}
          <StoredTextInput
            label="Client ID"
            placeholder={isIdEncrypted ? 'Stored encrypted; leave empty to keep it' : undefined}
            data-autofocus={exists || undefined}
            error={problems.clientId}
            {...field('clientId')}
          />
          <SecretTextarea
            secret
            label="Client secret"
            description={
              before?.stored.has('client_secret') ? 'Stored encrypted; leave empty to keep it' : 'Stored encrypted.'
            }
            error={problems.clientSecret}
            {...field('clientSecret')}
          />
          <StoredTextInput
            label="Display name"
            description="Appears on the button: “Continue with …”"
            spellCheck
            {...field('displayName')}
          />
          <StoredTextInput label="Scopes" description="Separated by spaces" {...field('scopes')} />
          <Checkbox
            label="Enabled"
            checked={draft.enabled}
            onChange={(event) => change({ enabled: event.currentTarget.checked })}
          />
          {form.failure !== undefined && (
            <FailurePanel error={form.failure} title="Not everything was saved: the provider may now be disabled" />
          )}
          {settingsQuery.data === undefined && settingsQuery.error !== null && (
            <FailurePanel
              error={settingsQuery.error}
              title="The providers are unavailable"
              onRetry={() => void settingsQuery.refetch()}
            />
          )}
          <DialogFooter onCancel={form.close} pending={pending}>
            {/* Saving without knowing the others could overwrite one of them, and their order. */}
            <Button type="submit" loading={pending} disabled={settingsQuery.data === undefined}>
              Save
            </Button>
          </DialogFooter>
        </Stack>
      </form>
      {form.leaveDialog}
    </Modal>
  );
}

/** A retry after a failed step starts from the settings stored so far. */
function useProviderForm({ name, onClose }: DialogProps) {
  const settingsQuery = useQuery(socialSettingsQuery);
  const settings = settingsQuery.data ?? [];
  const providers = storedProviders(settings);
  const named = (name: string | undefined) => providers.find((provider) => provider.name === name);
  /** Set once any of the provider's settings may be stored: the provider can then no longer be renamed. */
  const [savedAs, setSavedAs] = useState(name);
  const [start] = useState(() => {
    const opened = named(name);
    return opened === undefined ? EMPTY_DRAFT : draftOf(opened);
  });
  const { runSteps, offerUndo } = useSteps();
  const form = useRecordForm<null, ProviderDraft>(
    {
      storedAs: STORED_AS,
      draftOf: () => start,
      same: sameJson,
      withoutSecrets: (draft) => ({
        ...draft,
        clientId: hasEncryptedId(named(draft.name)) ? '' : draft.clientId,
        clientSecret: '',
      }),
      problemsIn: () => undefined,
    },
    {
      // A new provider that is partly stored continues as that provider.
      of: name ?? named(savedAs)?.name ?? '',
      start: null,
      save,
      onClose,
    },
  );
  const before = named(form.draft.name);

  async function save(draft: ProviderDraft): Promise<void> {
    const problems = draftProblems(draft, before, savedAs !== undefined);
    if (Object.keys(problems).length > 0) throw new DraftRefused(problems, true);
    setSavedAs(draft.name);
    const listed = providers
      .map((provider) => provider.name)
      .filter((other) => name !== undefined || other !== draft.name);
    const changes = await runSteps(stepsToSave(draft, before, storedOrder(settings), listed));
    offerUndo(`${name === undefined ? 'Added' : 'Saved'} ${shortened(providerTitle(draft))}`, before, changes);
    form.finish();
    onClose();
  }

  return { settingsQuery, providers, before, exists: savedAs !== undefined, form };
}

const hasEncryptedId = (stored: StoredProvider | undefined): boolean =>
  stored?.stored.has('client_id') === true && stored.clientId === '';

const OTHER = 'other';

/** Selects a known provider, which fills in its usual values, or any other name. */
function ProviderChoice(props: {
  draft: ProviderDraft;
  change: (fields: Partial<ProviderDraft>) => void;
  taken: readonly string[];
  problem: string | undefined;
}) {
  const { draft, change, taken, problem } = props;
  const [choice, setChoice] = useState(KNOWN_PROVIDERS.has(draft.name) ? draft.name : draft.name && OTHER);
  const choose = (name: string): void => {
    setChoice(name);
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
        error={choice === OTHER ? undefined : problem && 'Choose a provider.'}
        value={choice}
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
      {choice === OTHER && (
        <StoredTextInput
          label="Name"
          description="The provider’s ID in the identity service"
          autoCapitalize="none"
          error={problem}
          value={draft.name}
          onChange={(event) => change({ name: withoutBlanks(event.currentTarget.value) })}
        />
      )}
    </>
  );
}

const FLOWS = '/self-service/';

/** Kratos reveals its public URL only as the action of a form. */
const publicAddressQuery = queryOptions({
  queryKey: ['identity-public-address'],
  queryFn: async ({ signal }) => {
    const flow = await request<unknown>(identityPublic(`${FLOWS}login/api`), { signal });
    const action = text(membersOf(membersOf(flow).ui).action);
    if (!/^https?:/.test(action) || !action.includes(FLOWS))
      throw unreadableResponse('identity service', 'where its forms are sent');
    return action.slice(0, action.indexOf(FLOWS));
  },
  staleTime: Number.POSITIVE_INFINITY,
  retry: false,
});

function CallbackAddress({ provider }: { provider: string }) {
  const { data: address, isPending } = useQuery(publicAddressQuery);
  const path = `${FLOWS}methods/oidc/callback/${encodeURIComponent(provider)}`;
  const value = isPending ? '' : `${address ?? 'https://<public address of the identity service>'}${path}`;
  return (
    <TextInput
      label="Callback URL"
      description="Register this URL with the provider. If base_redirect_uri is set in the identity service, the URL starts with that instead."
      variant="filled"
      readOnly
      value={value}
      rightSection={address !== undefined && <CopyButton what="callback URL" read={() => value} />}
    />
  );
}

export function RemoveProvider({ provider, onClose }: { provider: StoredProvider; onClose: () => void }) {
  const { data: settings = [] } = useQuery(socialSettingsQuery);
  const { runSteps, offerUndo } = useSteps();
  const title = shortened(providerTitle(provider));
  return (
    <ConfirmDialog
      title={`Remove ${title}?`}
      consequence="Login pages stop offering this provider within a minute. Anyone without another way to sign in is locked out."
      details={[
        'Its settings are deleted, including client ID and secret. Right afterwards, “Undo” restores them; later, you can restore each one from its history. To pause the provider, disable it instead.',
        'It is disabled first: if a later step fails, it stays disabled and you can try again.',
      ]}
      typed={provider.name}
      action="Remove provider"
      onClose={onClose}
      act={async (reason) => {
        const changes = await runSteps(stepsToRemove(provider, storedOrder(settings)), reason);
        offerUndo(`Removed ${title}`, provider, changes);
        document.querySelector<HTMLElement>('[data-page-heading]')?.focus();
      }}
    />
  );
}
