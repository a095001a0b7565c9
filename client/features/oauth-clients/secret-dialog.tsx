import '@mantine/core/styles/Overlay.layer.css';
import '@mantine/core/styles/ModalBase.layer.css';
import '@mantine/core/styles/Modal.layer.css';
import { Alert, Button, Code, Group, Modal, Stack, Text } from '@mantine/core';
import { useBlocker } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { CopyButton } from '../../ui/copy-button.tsx';
import { DeploymentBadge } from '../../ui/deployment-badge.tsx';
import classes from './secret-dialog.module.css';

/**
 * A client's secret, which nobody can read again: neither Esc, a click beside it nor the browser's Back takes it away,
 * only the operator's word that it is stored. It lives in this component's props and in nothing else.
 * @param unconfirmed why it is not known whether the OAuth server has taken it
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
      // No key leads out of it, the palette's neither.
      onKeyDown={(event) => {
        event.stopPropagation();
        if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k') event.preventDefault();
      }}
      // A click beside it does not even take the focus out of it.
      onMouseDown={(event) => {
        if (!(event.target as HTMLElement).closest('[role=dialog]')) event.preventDefault();
      }}
      closeOnEscape={false}
      closeOnClickOutside={false}
      withCloseButton={false}
      zIndex={300}
      title={unconfirmed === undefined ? 'The secret, shown once' : 'This secret may be in force'}
    >
      <Stack gap="md">
        {unconfirmed === undefined ? (
          <Text size="sm">
            The OAuth server never shows it again, and this dashboard does not keep it. Pass it on in a way that only
            the application's developer can read.
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
          I have stored the secret where it belongs
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
