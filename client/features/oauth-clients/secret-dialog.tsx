import { Alert, Button, Code, Group, Modal, Stack, Text } from '@mantine/core';
import { useBlocker } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { CopyButton } from '../../ui/copy-button.tsx';
import { DeploymentBadge } from '../../ui/deployment-badge.tsx';
import classes from './secret-dialog.module.css';

/**
 * Shows a client's secret, which cannot be read again: Esc, a click outside and the browser's Back do not close it,
 * only the operator's confirmation that the secret is stored. It exists only in this component's props.
 * @param unconfirmed why it is unknown whether the OAuth server accepted it
 */
export function SecretDialog(props: {
  clientId: string;
  secret: string;
  unconfirmed?: string | undefined;
  onStored: () => void;
}) {
  const { clientId, secret, unconfirmed, onStored } = props;
  const [stored, setStored] = useState(false);
  const done = useRef(false);
  useBlocker({ shouldBlockFn: () => !done.current, enableBeforeUnload: () => !done.current });
  const finish = (): void => {
    done.current = true;
    onStored();
  };
  return (
    <Modal
      opened
      size="lg"
      onClose={() => {}}
      withCloseButton={false}
      // No keyboard shortcut leads out of it, not even the palette's.
      onKeyDown={(event) => {
        event.stopPropagation();
        if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k') event.preventDefault();
      }}
      // A click outside does not even move focus.
      onMouseDown={(event) => {
        if (!(event.target as HTMLElement).closest('[role=dialog]')) event.preventDefault();
      }}
      closeOnEscape={false}
      closeOnClickOutside={false}
      zIndex={300}
      title={unconfirmed === undefined ? 'The secret, shown once' : 'This secret may be active'}
    >
      <Stack gap="md">
        {unconfirmed === undefined ? (
          <Text size="sm">
            The OAuth server never shows it again, and this dashboard does not keep it. Send it to the application's
            developer through a secure channel.
          </Text>
        ) : (
          <Alert role="alert" variant="default" title="The OAuth server did not confirm it">
            {unconfirmed} Keep both secrets until one of them works, or set a new one again.
          </Alert>
        )}
        <OnceShown label="Client id" value={clientId} />
        <OnceShown label="Secret" value={secret} />
        <label className={classes.acknowledge}>
          <input
            type="checkbox"
            data-autofocus
            checked={stored}
            onChange={({ currentTarget }) => setStored(currentTarget.checked)}
          />
          I have stored the secret
        </label>
        <Group justify="space-between" gap="xs">
          <DeploymentBadge />
          <Button ml="auto" disabled={!stored} onClick={finish}>
            Done
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}

function OnceShown({ label, value }: { label: string; value: string }) {
  return (
    <div>
      <Text size="sm" fw={500}>
        {label}
      </Text>
      <Group gap={4} wrap="nowrap" align="flex-start">
        <Code block flex={1} className={classes.value}>
          {value}
        </Code>
        <CopyButton label={`Copy: ${label}`} read={() => value} />
      </Group>
    </div>
  );
}
