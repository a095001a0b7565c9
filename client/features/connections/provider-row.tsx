import { ActionIcon, Button, Code, Group, Text } from '@mantine/core';
import { useState } from 'react';
import { GuardedButton } from '../../ui/buttons.tsx';
import { StatusDot } from '../../ui/facts.tsx';
import { IconArrowDown, IconArrowUp, IconPencil } from '../../ui/icons.tsx';
import { lazyPart } from '../../ui/lazy-part.tsx';
import { IconTrash } from '../../ui/shell-icons.tsx';
import classes from './connections.module.css';
import { RemoveProvider } from './provider-dialog.tsx';
import { missing, providerIcon, providerTitle, type StoredProvider } from './providers.ts';

const ProviderDialog = lazyPart(() => import('./provider-dialog.tsx'), 'ProviderDialog');
/** @param props.earlier moves it up; undefined for the first row, like `later` for the last */
export function ProviderRow(props: {
  provider: StoredProvider;
  earlier: (() => void) | undefined;
  later: (() => void) | undefined;
  setEnabled: (enabled: boolean) => void;
}) {
  const { provider } = props;
  const { name, enabled, clientId, stored } = provider;
  const [open, setOpen] = useState<'edit' | 'remove'>();
  const title = providerTitle(provider);
  const Icon = providerIcon(name);
  const lacks = missing(provider);
  return (
    <li className={classes.row} aria-label={title}>
      <div className={classes.about}>
        <Group gap="xs">
          <Icon size={20} />
          <Text fw={600}>{title}</Text>
          <Code>{name}</Code>
          <StatusDot status={enabled ? (lacks === undefined ? 'good' : 'warning') : 'off'}>
            {enabled ? 'Enabled' : 'Disabled'}
          </StatusDot>
        </Group>
        <Text size="xs" c="dimmed" className={classes.breakable}>
          {clientId === '' ? (stored.has('client_id') ? 'Client id stored encrypted' : 'No client id') : clientId}
          {' · '}
          {stored.has('client_secret') ? 'secret stored' : 'no secret'}
          {provider.scopes !== '' && ` · ${provider.scopes}`}
        </Text>
        {lacks !== undefined && <Text size="xs">{lacks}</Text>}
      </div>
      <Group gap={4} wrap="nowrap" className={classes.acts}>
        <Step label={`Move ${title} up`} control={`up ${name}`} go={props.earlier} icon={<IconArrowUp />} />
        <Step label={`Move ${title} down`} control={`down ${name}`} go={props.later} icon={<IconArrowDown />} />
        {enabled || lacks === undefined ? (
          <Button
            size="compact-sm"
            variant="default"
            data-control={`enable ${name}`}
            aria-label={`${enabled ? 'Disable' : 'Enable'} ${title}`}
            onClick={() => props.setEnabled(!enabled)}
          >
            {enabled ? 'Disable' : 'Enable'}
          </Button>
        ) : (
          <GuardedButton size="compact-sm" variant="default" reason={lacks} onClick={() => {}}>
            Enable
          </GuardedButton>
        )}
        <ActionIcon
          variant="default"
          size={28}
          aria-label={`Edit ${title}`}
          title="Edit"
          onClick={() => setOpen('edit')}
        >
          <IconPencil />
        </ActionIcon>
        <ActionIcon
          variant="default"
          size={28}
          aria-label={`Remove ${title}`}
          title="Remove"
          onClick={() => setOpen('remove')}
        >
          <IconTrash />
        </ActionIcon>
      </Group>
      {open === 'edit' && <ProviderDialog name={name} onClose={() => setOpen(undefined)} />}
      {open === 'remove' && <RemoveProvider provider={provider} onClose={() => setOpen(undefined)} />}
    </li>
  );
}

/** At the end of the list the button does nothing, but it keeps focus. */
const Step = (props: { label: string; control: string; go: (() => void) | undefined; icon: React.ReactNode }) => (
  <ActionIcon
    variant="default"
    size={28}
    aria-label={props.label}
    title={props.label}
    data-control={props.control}
    data-disabled={props.go === undefined || undefined}
    aria-disabled={props.go === undefined}
    onClick={() => props.go?.()}
  >
    {props.icon}
  </ActionIcon>
);
