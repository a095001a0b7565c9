import { ActionIcon, Box, Code, Group, Text } from '@mantine/core';
import { useState } from 'react';
import { GuardedButton } from '../../ui/buttons.tsx';
import { StatusDot } from '../../ui/facts.tsx';
import { IconArrowDown, IconArrowUp, IconPencil } from '../../ui/icons.tsx';
import { IconTrash } from '../../ui/shell-icons.tsx';
import { ProviderDialog, RemoveProvider, useStoredDraft } from './provider-dialog.tsx';
import { missing, providerIcon, providerTitle, type StoredProvider } from './providers.ts';

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
        <Text size="xs" c="dimmed">
          {clientId === '' ? (stored.has('client_id') ? 'Client ID stored encrypted' : 'No client ID') : clientId}
          {' · '}
          {stored.has('client_secret') ? 'secret stored' : 'no secret'}
          {provider.scopes !== '' && ` · ${provider.scopes}`}
        </Text>
        {problem !== undefined && <Text size="xs">{problem}</Text>}
      </Box>
      <Group gap={4} wrap="nowrap" flex="none">
        {MOVES.map(([direction, by, Arrow]) => {
          // At either end of the list, a button does nothing but keeps its focus.
          const isLast = index + by < 0 || index + by === count;
          return (
            <ActionIcon
              key={direction}
              {...SMALL}
              aria-label={`Move ${title} ${direction}`}
              title={`Move ${direction}`}
              data-disabled={isLast || undefined}
              aria-disabled={isLast}
              onClick={() => !isLast && move(by)}
            >
              <Arrow />
            </ActionIcon>
          );
        })}
        <GuardedButton
          size="xs"
          variant="default"
          reason={enabled ? undefined : problem}
          aria-label={`${enabled ? 'Disable' : 'Enable'} ${title}`}
          onClick={() => setEnabled(!enabled)}
        >
          {enabled ? 'Disable' : 'Enable'}
        </GuardedButton>
        <ActionIcon {...SMALL} aria-label={`Edit ${title}`} title="Edit" onClick={() => setOpen('edit')}>
          <IconPencil />
        </ActionIcon>
        <ActionIcon {...SMALL} aria-label={`Remove ${title}`} title="Remove" onClick={() => setOpen('remove')}>
          <IconTrash />
        </ActionIcon>
      </Group>
      {open === 'edit' && <ProviderDialog name={name} onClose={close} />}
      {open === 'remove' && <RemoveProvider provider={provider} onClose={close} />}
    </Group>
  );
}

const MOVES = [
  ['up', -1, IconArrowUp],
  ['down', 1, IconArrowDown],
] as const;
const SMALL = { variant: 'default', size: 'xs' } as const;
