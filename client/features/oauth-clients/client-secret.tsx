import { Alert, Button, Code, Group, Stack, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useBlocker } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { clientQuery, type OauthClient, patchClient } from '../../api/oauth-clients.ts';
import { type PatchOperation, RequestError } from '../../api/request.ts';
import { base64url } from '../../lib/encoding.ts';
import { CopyButton } from '../../ui/buttons.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { DeploymentBadge } from '../../ui/layout.tsx';
import { Modal } from '../../ui/modal.tsx';
import { clientName, isOwnClient, listMember } from './client-members.ts';
import classes from './oauth-clients.module.css';

/**
 * Sets a secret generated here, since the OAuth server generates none on updates. If its response is lost, the secret may
 * still be active: retries send the same one, and closing the dialog still shows it.
 */
export function RotateSecret({ client, onClose }: { client: OauthClient; onClose: () => void }) {
  const queryClient = useQueryClient();
  const made = useRef<string>(undefined);
  const [doubt, setDoubt] = useState<string>();
  const [shown, setShown] = useState<{ secret: string; unconfirmed: string | undefined }>();
  const id = client.client_id;
  const name = clientName(client);

  const rotate = async (): Promise<void> => {
    made.current ??= newSecret();
    const secret = made.current;
    try {
      await patchClient(id, setSecretPatch(secret));
    } catch (error) {
      if (!(error instanceof RequestError && error.status < 500)) setDoubt((error as Error).message);
      throw error;
    }
    setShown({ secret, unconfirmed: undefined });
    void queryClient.invalidateQueries({ queryKey: clientQuery(id).queryKey });
  };
  const giveUp = (): void => {
    if (doubt === undefined || made.current === undefined) onClose();
    else setShown({ secret: made.current, unconfirmed: doubt });
  };

  if (shown !== undefined)
    return <SecretDialog clientId={id} secret={shown.secret} unconfirmed={shown.unconfirmed} onStored={onClose} />;
  return (
    <ConfirmDialog
      title={`Rotate the secret of ${name}?`}
      consequences={[
        ...(isOwnClient(listMember(client, 'redirect_uris')) ? ['This is the dashboard’s own client.'] : []),
        'The old secret stops working at once; the two never work at the same time.',
        'Until the application has the new one, it gets no tokens: sign-ins, token refreshes and calls on its own behalf fail.',
        'Access tokens that it already has stay valid until they expire.',
        'The old secret does not come back: this cannot be undone.',
        'The new secret is shown once, in the next step.',
      ]}
      typed={[...new Set([name, id])].filter((one) => one.trim() !== '')}
      action="Rotate the secret"
      act={rotate}
      onClose={giveUp}
    />
  );
}

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

/** Sets the secret. The member can never be read; the OAuth server adds it if it is missing. */
export const setSecretPatch = (secret: string): PatchOperation[] => [
  { op: 'replace', path: '/client_secret', value: secret },
];

const BYTES = 32;

/**
 * A client secret of letters, digits, `-` and `_`: other characters get lost in Basic authentication without escaping.
 */
export const newSecret = (): string => base64url(crypto.getRandomValues(new Uint8Array(BYTES)));
