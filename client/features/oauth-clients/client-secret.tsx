import { Alert, Button, Checkbox, Group, Stack, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useBlocker } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { texts } from '../../../shared/json.ts';
import { historyQuery } from '../../api/audit.ts';
import { clientQuery, type OauthClient, patchClient } from '../../api/oauth-clients.ts';
import { type PatchOperation, RequestError } from '../../api/request.ts';
import { base64url } from '../../lib/encoding.ts';
import { isCommand } from '../../lib/keys.ts';
import { shortened } from '../../lib/visible-text.ts';
import { CANNOT_BE_UNDONE, ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { CopyableValue } from '../../ui/facts.tsx';
import { DeploymentBadge } from '../../ui/layout.tsx';
import { Modal } from '../../ui/modal.tsx';
import { clientName, isOwnClient } from './client-members.ts';

/**
 * Sets a secret generated in the browser, because Hydra generates none on updates. If the response is lost, the new
 * secret may be active: retries send the same one, and closing the dialog still displays it.
 */
export function RotateSecret({ client, onClose }: { client: OauthClient; onClose: () => void }) {
  const queryClient = useQueryClient();
  const [secret] = useState(newSecret);
  const [unconfirmed, setUnconfirmed] = useState<string>();
  const [isShown, setShown] = useState(false);
  const id = client.client_id;
  const name = clientName(client);

  const rotate = async (reason: string): Promise<void> => {
    try {
      await patchClient(id, setSecretPatch(secret), reason);
    } catch (error) {
      if (!(error instanceof RequestError && error.status < 500)) setUnconfirmed((error as Error).message);
      throw error;
    }
    setUnconfirmed(undefined);
    setShown(true);
    for (const { queryKey } of [clientQuery(id), historyQuery(`client:${id}`)])
      void queryClient.invalidateQueries({ queryKey });
  };

  if (isShown) return <SecretDialog clientId={id} secret={secret} unconfirmed={unconfirmed} onStored={onClose} />;
  return (
    <ConfirmDialog
      title={`Rotate the secret of ${shortened(name)}?`}
      warning={isOwnClient(texts(client.redirect_uris)) ? 'This is the dashboard’s own client.' : undefined}
      consequence="The old secret stops working at once, so the application gets no tokens until it has the new one."
      details={[
        'The old and the new secret never work at the same time: until the application has the new one, sign-ins, token refreshes and its own calls fail.',
        'Access tokens that the application already has stay valid until they expire.',
        'The new secret is shown once, in the next step.',
        CANNOT_BE_UNDONE,
      ]}
      typed={[...new Set([name, id])].filter((one) => one.trim() !== '')}
      action="Rotate secret"
      act={rotate}
      onClose={() => (unconfirmed === undefined ? onClose() : setShown(true))}
    />
  );
}

/**
 * Displays a client's secret, which cannot be read again. Only the operator's confirmation closes the dialog: not Esc,
 * a click outside or the browser's Back. The secret is only in component state, so a reload loses it.
 * @param unconfirmed why the OAuth server may not have accepted the secret
 */
export function SecretDialog(props: {
  clientId: string;
  secret: string;
  unconfirmed?: string | undefined;
  onStored: () => void;
}) {
  const { clientId, secret, unconfirmed, onStored } = props;
  const [isStored, setStored] = useState(false);
  // A ref, because `onStored` may navigate before the next render.
  const done = useRef(false);
  useBlocker({ shouldBlockFn: () => !done.current, enableBeforeUnload: () => !done.current });
  return (
    <Modal
      opened
      size="lg"
      onClose={() => {}}
      withCloseButton={false}
      // No keyboard shortcut may leave the dialog, not even the palette's.
      onKeyDown={(event) => {
        event.stopPropagation();
        if (isCommand(event, 'k')) event.preventDefault();
      }}
      // A click outside must not even move focus.
      onMouseDown={(event) => {
        if (!(event.target as HTMLElement).closest('[role=dialog]')) event.preventDefault();
      }}
      closeOnEscape={false}
      closeOnClickOutside={false}
      zIndex={300}
      title={unconfirmed === undefined ? 'Copy the client secret now' : 'This secret may be active'}
    >
      <Stack gap="md">
        {unconfirmed === undefined ? (
          <Text size="sm">
            The OAuth server never shows the secret again, and this dashboard does not store it. Send it to the
            application's developer through a secure channel.
          </Text>
        ) : (
          <Alert role="alert" variant="default" title="The OAuth server did not confirm the secret">
            {unconfirmed} Keep this secret and any earlier one until you know which of them works, or rotate the secret
            again.
          </Alert>
        )}
        <CopyableValue label="Client ID" what="client ID" value={clientId} />
        <CopyableValue label="Secret" what="client secret" value={secret} />
        <Checkbox
          data-autofocus
          label="I have stored the secret"
          checked={isStored}
          onChange={(event) => setStored(event.currentTarget.checked)}
        />
        <Group justify="space-between" gap="xs">
          <DeploymentBadge />
          <Button
            ml="auto"
            disabled={!isStored}
            onClick={() => {
              done.current = true;
              onStored();
            }}
          >
            Done
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}

/** Hydra accepts `replace` although it never returns the secret. */
export const setSecretPatch = (secret: string): PatchOperation[] => [
  { op: 'replace', path: '/client_secret', value: secret },
];

/** 256 bits in base64url: other characters would need escaping in Basic authentication. */
export const newSecret = (): string => base64url(crypto.getRandomValues(new Uint8Array(32)));
