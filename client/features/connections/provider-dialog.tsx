import { Alert, Button, Checkbox, Group, NativeSelect, Stack, TextInput } from '@mantine/core';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { type SyntheticEvent, useEffect, useRef, useState } from 'react';
import { membersOf, text } from '../../../shared/json.ts';
import { identityPublic, request, unreadableResponse } from '../../api/request.ts';
import { useOperator } from '../../api/session.ts';
import { socialSettingsQuery } from '../../api/settings.ts';
import { onLeaving } from '../../lib/sign-in.ts';
import { forgetDraft, keepDraft, keptDraft } from '../../lib/tab-storage.ts';
import { shortened, withoutBlanks } from '../../lib/visible-text.ts';
import { CopyButton } from '../../ui/buttons.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { useConfirmClose } from '../../ui/confirm-leave.tsx';
import { FailurePanel } from '../../ui/failure-panel.tsx';
import { SecretTextarea, StoredTextInput } from '../../ui/fields.tsx';
import { useSingleFlight } from '../../ui/hooks.tsx';
import { DialogFooter, Modal } from '../../ui/modal.tsx';
import {
  type DraftProblems,
  draftOf,
  draftProblems,
  EMPTY_DRAFT,
  type ProviderDraft,
  secretOf,
  stepsToRemove,
  stepsToSave,
  useSteps,
} from './provider-steps.ts';
import { KNOWN_PROVIDERS, providerTitle, type StoredProvider, storedOrder, storedProviders } from './providers.ts';

const STORED_AS = 'connections.draft';

/** The draft of the named provider, or of a new one, that this tab stored before a sign-in. */
export function useKeptProvider(name: string | undefined): ProviderDraft | undefined {
  const { identityId: operator } = useOperator();
  const [kept] = useState(() => keptDraft<null, ProviderDraft>(STORED_AS, { operator, of: name ?? '' }));
  return kept?.draft;
}

/** Adds a provider, or edits the named one. A retry after a failed step starts from the settings stored so far. */
export function ProviderDialog({ name, onClose }: { name: string | undefined; onClose: () => void }) {
  const { data, error, refetch } = useQuery(socialSettingsQuery);
  const settings = data ?? [];
  const providers = storedProviders(settings);
  /** True once any of the provider's settings may be stored: the provider can then no longer be renamed. */
  const [exists, setExists] = useState(name !== undefined);
  const [start] = useState(() => {
    const opened = providers.find((provider) => provider.name === name);
    return opened === undefined ? EMPTY_DRAFT : draftOf(opened);
  });
  const { identityId: operator } = useOperator();
  const kept = useKeptProvider(name);
  const [draft, setDraft] = useState(kept ?? start);
  const change = (fields: Partial<ProviderDraft>): void => setDraft({ ...draft, ...fields });
  const field = (name: 'clientId' | 'clientSecret' | 'displayName' | 'scopes') => ({
    value: draft[name],
    onChange(event: { currentTarget: { value: string } }): void {
      change({ [name]: event.currentTarget.value });
      setProblems((before) => ({ ...before, [name]: undefined }));
    },
  });
  const [problems, setProblems] = useState<DraftProblems>({});
  const { run, pending, failure } = useSingleFlight();
  const { runSteps, offerUndo } = useSteps();
  const before = providers.find((provider) => provider.name === draft.name);
  const isChanged = (Object.keys(start) as (keyof ProviderDraft)[]).some((field) => draft[field] !== start[field]);
  const isKept = useRef(false);
  const { close, leaveDialog } = useConfirmClose(() => isChanged && !isKept.current, onClose);
  const isIdEncrypted = before?.stored.has('client_id') === true && before.clientId === '';

  useEffect(() => forgetDraft(STORED_AS), []);
  useEffect(() => {
    if (!isChanged) return;
    return onLeaving(() => {
      // A new provider that is partly stored continues as that provider.
      const of = exists && before !== undefined ? draft.name : '';
      const safe = { ...draft, clientId: isIdEncrypted ? '' : draft.clientId, clientSecret: '' };
      keepDraft(STORED_AS, { operator, of, base: null, draft: safe });
      isKept.current = true;
    });
  }, [operator, exists, before, draft, isChanged, isIdEncrypted]);

  const { secret, question } = secretOf(draft.clientSecret);
  /** @param clientSecret the choice of the operator if there is a question */
  const save = (event: SyntheticEvent, clientSecret?: string): void => {
    event.preventDefault();
    const found = draftProblems(draft, before, exists);
    setProblems({ ...found, ...(question && { clientSecret: question }) });
    if (Object.keys(found).length > 0 || (question && !clientSecret)) return;
    void run(async () => {
      setExists(true);
      const listed = providers
        .map((provider) => provider.name)
        .filter((one) => name !== undefined || one !== draft.name);
      const saved = { ...draft, clientSecret: clientSecret ?? secret };
      const changes = await runSteps(stepsToSave(saved, before, storedOrder(settings), listed));
      offerUndo(`${name === undefined ? 'Added' : 'Saved'} ${shortened(providerTitle(draft))}`, before, changes);
      onClose();
    });
  };
  return (
    <Modal
      opened
      busy={pending}
      onClose={close}
      title={name === undefined ? 'Add provider' : `Edit ${providerTitle(draft)}`}
    >
      <form onSubmit={save} noValidate>
        <Stack gap="md">
          {kept !== undefined && (
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
          {question && problems.clientSecret === question && (
            <Group gap="xs" role="group" aria-label={question}>
              <Button variant="default" disabled={pending} onClick={(event) => save(event, secret)}>
                Keep
              </Button>
              <Button variant="default" disabled={pending} onClick={(event) => save(event, withoutBlanks(secret))}>
                Remove
              </Button>
            </Group>
          )}
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
          {failure !== undefined && (
            <FailurePanel error={failure} title="Not everything was saved: the provider may now be disabled" />
          )}
          {data === undefined && error !== null && (
            <FailurePanel error={error} title="The providers are unavailable" onRetry={() => void refetch()} />
          )}
          <DialogFooter onCancel={close} pending={pending}>
            {/* Saving without knowing the others could overwrite one of them, and their order. */}
            <Button type="submit" loading={pending} disabled={data === undefined}>
              Save
            </Button>
          </DialogFooter>
        </Stack>
      </form>
      {leaveDialog}
    </Modal>
  );
}

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
      act={async () => {
        const changes = await runSteps(stepsToRemove(provider, storedOrder(settings)));
        offerUndo(`Removed ${title}`, provider, changes);
        document.querySelector<HTMLElement>('[data-page-heading]')?.focus();
      }}
    />
  );
}
