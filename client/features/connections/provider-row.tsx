import { ActionIcon, Box, Code, Group, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { GuardedButton } from '../../ui/buttons.tsx';
import { StatusDot } from '../../ui/facts.tsx';
import { IconArrowDown, IconArrowUp, IconPencil } from '../../ui/icons.tsx';
import { IconTrash } from '../../ui/shell-icons.tsx';
import { ProviderDialog, RemoveProvider } from './provider-dialog.tsx';
import { missing, providerIcon, providerTitle, type StoredProvider } from './providers.ts';

/** @param props.moveUp undefined for the first row, as `moveDown` is for the last */
export function ProviderRow(props: {
  provider: StoredProvider;
  moveUp: (() => void) | undefined;
  moveDown: (() => void) | undefined;
  setEnabled: (enabled: boolean) => void;
}) {
  const { provider } = props;
  const { name, enabled, clientId, stored } = provider;
  const [open, setOpen] = useState<'edit' | 'remove'>();
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
          {clientId === '' ? (stored.has('client_id') ? 'Client id stored encrypted' : 'No client id') : clientId}
          {' · '}
          {stored.has('client_secret') ? 'secret stored' : 'no secret'}
          {provider.scopes !== '' && ` · ${provider.scopes}`}
        </Text>
        {problem !== undefined && <Text size="xs">{problem}</Text>}
      </Box>
      <Group gap={4} wrap="nowrap" flex="none">
        <MoveButton label={`Move ${title} up`} control={`up ${name}`} move={props.moveUp} icon={<IconArrowUp />} />
        <MoveButton
          label={`Move ${title} down`}
          control={`down ${name}`}
          move={props.moveDown}
          icon={<IconArrowDown />}
        />
        <GuardedButton
          size="xs"
          variant="default"
          reason={enabled ? undefined : problem}
          data-control={`enable ${name}`}
          aria-label={`${enabled ? 'Disable' : 'Enable'} ${title}`}
          onClick={() => props.setEnabled(!enabled)}
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

const SMALL = { variant: 'default', size: 'xs' } as const;

/** The button does nothing at the end of the list but keeps focus. */
function MoveButton(props: { label: string; control: string; move: (() => void) | undefined; icon: ReactNode }) {
  const { label, control, move, icon } = props;
  return (
    <ActionIcon
      {...SMALL}
      aria-label={label}
      title={label}
      data-control={control}
      data-disabled={move === undefined || undefined}
      aria-disabled={move === undefined}
      onClick={move}
    >
      {icon}
    </ActionIcon>
  );
}
