import { Box, Code, Group, Paper, Skeleton, Stack, Text, VisuallyHidden } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useCan, useRefusal } from '../../api/session.ts';
import { socialConnectionsQuery, socialSettingsQuery } from '../../api/settings.ts';
import { shortened } from '../../lib/visible-text.ts';
import { GuardedButton, IconButton, SmallButton } from '../../ui/buttons.tsx';
import { StatusDot } from '../../ui/facts.tsx';
import { FailureNote, FailurePanel } from '../../ui/failure-panel.tsx';
import { useSingleFlight } from '../../ui/hooks.tsx';
import { IconArrowDown, IconArrowUp, IconPencil, IconPlus } from '../../ui/icons.tsx';
import { Dimmed, Section } from '../../ui/layout.tsx';
import { LoadingRows } from '../../ui/loading.tsx';
import { IconTrash } from '../../ui/shell-icons.tsx';
import { GuardedPage, StatePanel } from '../../ui/state-panel.tsx';
import { ProviderDialog, RemoveProvider, useStoredDraft } from './provider-dialog.tsx';
import { moved, stepToEnable, stepToOrder, useSteps } from './provider-steps.ts';
import {
  missing,
  providerIcon,
  providerTitle,
  type StoredProvider,
  storedOrder,
  storedProviders,
} from './providers.ts';

export function ConnectionsPage() {
  const refusal = useRefusal('settings.write');
  const [isAdding, setAdding] = useState(useStoredDraft(undefined));
  return (
    <GuardedPage
      open={useCan()('settings.read')}
      title="Connections"
      about="Social providers that people can sign in with."
      actions={
        <GuardedButton reason={refusal} leftSection={<IconPlus />} onClick={() => setAdding(true)}>
          Add provider
        </GuardedButton>
      }
    >
      <Providers />
      {isAdding && <ProviderDialog name={undefined} onClose={() => setAdding(false)} />}
    </GuardedPage>
  );
}

function Providers() {
  const { data: settings, error, refetch } = useQuery(socialSettingsQuery);
  const { runSteps, offerUndo } = useSteps();
  const { run, failure } = useSingleFlight();
  const [status, setStatus] = useState('');
  const title = settings && 'This may be out of date';
  const unread = error !== null && <FailurePanel error={error} title={title} onRetry={() => void refetch()} />;
  if (settings === undefined) return unread || <LoadingRows label="Loading the providers" rows={2} height={64} />;
  const providers = storedProviders(settings);
  const names = providers.map(({ name }) => name);
  const move = (provider: StoredProvider, by: -1 | 1): void =>
    void run(async () => {
      const order = moved(names, storedOrder(settings), provider.name, by);
      await runSteps([stepToOrder(order)]);
      setStatus(`${providerTitle(provider)} moved to position ${order.indexOf(provider.name) + 1} of ${names.length}`);
    });
  const setEnabled = (provider: StoredProvider, enabled: boolean): void =>
    void run(async () => {
      const changes = await runSteps([stepToEnable(provider.name, enabled)]);
      offerUndo(`${enabled ? 'Enabled' : 'Disabled'} ${shortened(providerTitle(provider))}`, provider, changes);
    });
  return (
    // The preview is beside the providers if there is room for both.
    <Group align="flex-start" gap="lg">
      <Stack flex="999 1 36rem" miw={0} gap="sm">
        {/* Above the rows, not instead of them: their dialogs may contain unsaved changes. */}
        {unread}
        {failure !== undefined && <FailurePanel error={failure} />}
        <VisuallyHidden role="status">{status}</VisuallyHidden>
        {providers.length === 0 ? (
          <StatePanel
            kind="no-data"
            title="No social providers yet"
            text="Add one with the client ID and secret that the provider issued for your login page."
          />
        ) : (
          <Paper component="ol" withBorder data-rows>
            {providers.map((provider, index) => (
              <ProviderRow
                key={provider.name}
                provider={provider}
                index={index}
                count={names.length}
                move={(by) => move(provider, by)}
                setEnabled={(enabled) => setEnabled(provider, enabled)}
              />
            ))}
          </Paper>
        )}
      </Stack>
      <Box flex="1 1 20rem">
        <LoginPreview />
      </Box>
    </Group>
  );
}

/** Previews the login page's provider buttons, which do nothing here. */
function LoginPreview() {
  const { data, error } = useQuery(socialConnectionsQuery);
  return (
    <Section title="Login page preview" about="Enabled providers, in the order shown on login pages.">
      {error !== null ? (
        <FailureNote error={error} />
      ) : data === undefined ? (
        <Skeleton height={120} aria-hidden />
      ) : data.length === 0 ? (
        <Dimmed>No provider is enabled, so login pages show none.</Dimmed>
      ) : (
        <Stack component="ul" gap="xs" m={0} p={0} aria-label="Login buttons">
          {data.map(({ provider, display_name }) => {
            const Icon = providerIcon(provider);
            return (
              <Paper key={provider} component="li" withBorder px="sm" py="xs" display="block">
                <Group justify="center" gap="xs" fz="sm" fw={500}>
                  <Icon size={18} />
                  Continue with {display_name}
                </Group>
              </Paper>
            );
          })}
        </Stack>
      )}
      <Dimmed size="xs" mt="md">
        The login page must read these settings or request <code>/api/connections/social</code>. The identity service’s
        own configuration is not changed. Add each provider there, too: the service rejects providers that it does not
        know.
      </Dimmed>
    </Section>
  );
}

interface Row {
  provider: StoredProvider;
  index: number;
  count: number;
  move: (by: -1 | 1) => void;
  setEnabled: (enabled: boolean) => void;
}

export function ProviderRow({ provider, index, count, move, setEnabled }: Row) {
  const { name, enabled, clientId, stored } = provider;
  const [open, setOpen] = useState<'edit' | 'remove' | undefined>(useStoredDraft(name) ? 'edit' : undefined);
  const close = (): void => setOpen(undefined);
  const title = providerTitle(provider);
  const Icon = providerIcon(name);
  const problem = missing(provider);
  return (
    <Group component="li" justify="space-between" gap="0.5rem 1rem" px="md" py="sm" aria-label={title}>
      <Box flex="1 1 16rem" miw={0}>
        <Group gap="xs">
          <Icon size={20} />
          <Text fw={600}>{title}</Text>
          <Code>{name}</Code>
          <StatusDot status={enabled ? (problem === undefined ? 'good' : 'warning') : 'off'}>
            {enabled ? 'Enabled' : 'Disabled'}
          </StatusDot>
        </Group>
        <Dimmed size="xs">
          {clientId === '' ? (stored.has('client_id') ? 'Client ID stored encrypted' : 'No client ID') : clientId}
          {' · '}
          {stored.has('client_secret') ? 'secret stored' : 'no secret'}
          {provider.scopes !== '' && ` · ${provider.scopes}`}
        </Dimmed>
        {problem !== undefined && <Text size="xs">{problem}</Text>}
      </Box>
      {useCan()('settings.write') && (
        <Group gap={4} wrap="nowrap" flex="none">
          {MOVES.map(([direction, by, Arrow]) => (
            <IconButton
              key={direction}
              variant="default"
              label={`Move ${title} ${direction}`}
              title={`Move ${direction}`}
              idle={index + by < 0 || index + by === count}
              onClick={() => move(by)}
            >
              <Arrow />
            </IconButton>
          ))}
          <SmallButton
            reason={enabled ? undefined : problem}
            aria-label={`${enabled ? 'Disable' : 'Enable'} ${title}`}
            onClick={() => setEnabled(!enabled)}
          >
            {enabled ? 'Disable' : 'Enable'}
          </SmallButton>
          <IconButton variant="default" label={`Edit ${title}`} title="Edit" onClick={() => setOpen('edit')}>
            <IconPencil />
          </IconButton>
          <IconButton variant="default" label={`Remove ${title}`} title="Remove" onClick={() => setOpen('remove')}>
            <IconTrash />
          </IconButton>
        </Group>
      )}
      {open === 'edit' && <ProviderDialog name={name} onClose={close} />}
      {open === 'remove' && <RemoveProvider provider={provider} onClose={close} />}
    </Group>
  );
}

const MOVES = [
  ['up', -1, IconArrowUp],
  ['down', 1, IconArrowDown],
] as const;
