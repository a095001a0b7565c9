import { Alert, Button, Group, NativeSelect, Radio, Stack, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useBlocker } from '@tanstack/react-router';
import { useState } from 'react';
import { historyQuery } from '../../api/audit.ts';
import type { Identity } from '../../api/identities.ts';
import { identityAdmin, request, send } from '../../api/request.ts';
import { shortName } from '../../lib/identity-name.ts';
import { shortened, visibleText } from '../../lib/visible-text.ts';
import { ConfirmDialog, Details } from '../../ui/confirm-dialog.tsx';
import { CopyableValue, RelativeTime } from '../../ui/facts.tsx';
import { FailurePanel } from '../../ui/failure-panel.tsx';
import { useSingleFlight } from '../../ui/hooks.tsx';
import { DialogFooter, Modal } from '../../ui/modal.tsx';
import { useReason } from '../../ui/reason-field.tsx';
import { toast } from '../../ui/toasts.tsx';

/** A recovery code or link: shown only once, and never stored. */
interface Recovery {
  recovery_link: string;
  recovery_code?: string;
  expires_at?: string;
}

const LIFETIMES = [
  { value: '15m', label: '15 minutes' },
  { value: '1h', label: '1 hour' },
  { value: '24h', label: '24 hours' },
];

export function RecoveryDialog({ identity, onClose }: { identity: Identity; onClose: () => void }) {
  const [lifetime, setLifetime] = useState('1h');
  const [recovery, setRecovery] = useState<Recovery>();
  const { run, pending, failure } = useSingleFlight();
  const { reason, missing, field } = useReason();
  // A code cannot be displayed again: the browser's Back must not close the dialog either.
  useBlocker({ shouldBlockFn: () => recovery !== undefined, enableBeforeUnload: () => recovery !== undefined });
  const what =
    recovery === undefined ? 'Create recovery code' : recovery.recovery_code ? 'Recovery code' : 'Recovery link';
  const create = (kind: 'code' | 'link') =>
    void run(async () => {
      const body = { identity_id: identity.id, expires_in: lifetime };
      setRecovery(await request<Recovery>(identityAdmin(`/recovery/${kind}`), { method: 'POST', body, reason }));
    });

  return (
    <Modal
      opened
      busy={pending}
      onClose={onClose}
      // The code cannot be displayed again, so only the button closes the dialog.
      closeOnClickOutside={recovery === undefined}
      closeOnEscape={recovery === undefined}
      withCloseButton={recovery === undefined}
      title={visibleText(`${what} for ${shortName(identity)}`)}
    >
      <Stack gap="md">
        {recovery === undefined ? (
          <>
            <Text size="sm">The person can sign in with the code or link once, and set new credentials.</Text>
            <Details
              sentences={[
                'It is not sent to the person: pass it on through a secure channel.',
                'Anyone who has it can take over the account.',
                'It is shown once and not stored.',
              ]}
            />
            {identity.state !== 'active' && (
              <Alert color="orange" variant="light" title="This identity is inactive">
                Activate the identity first: until then, the code or link does not work.
              </Alert>
            )}
            <NativeSelect
              data-autofocus
              label="Valid for"
              value={lifetime}
              data={LIFETIMES}
              onChange={(event) => setLifetime(event.currentTarget.value)}
            />
            {field}
            {failure !== undefined && <FailurePanel error={failure} />}
            <DialogFooter onCancel={onClose} pending={pending}>
              <Button variant="default" loading={pending} disabled={missing} onClick={() => create('link')}>
                Create link
              </Button>
              <Button loading={pending} disabled={missing} onClick={() => create('code')}>
                Create code
              </Button>
            </DialogFooter>
          </>
        ) : (
          <Created recovery={recovery} onClose={onClose} />
        )}
      </Stack>
    </Modal>
  );
}

function Created({ recovery, onClose }: { recovery: Recovery; onClose: () => void }) {
  const { recovery_code: code, recovery_link: link, expires_at } = recovery;
  return (
    <>
      <Alert variant="light" title="Shown once">
        It is not stored. Copy it before you close this dialog.
        {expires_at !== undefined && (
          <>
            {' '}
            It expires <RelativeTime at={expires_at} />.
          </>
        )}
      </Alert>
      {code !== undefined && <CopyableValue label="Code" what="recovery code" value={code} />}
      <CopyableValue
        {...(code === undefined
          ? { label: 'Link', what: 'recovery link' }
          : { label: 'Page for entering the code', what: 'the address of the page' })}
        value={link}
      />
      <Group justify="flex-end">
        <Button data-autofocus onClick={onClose}>
          Done
        </Button>
      </Group>
    </>
  );
}

/** Starts the person's own recovery. The link goes to one of their addresses, and nobody sees it here. */
export function SendRecovery({ identity, onClose }: { identity: Identity; onClose: () => void }) {
  const { id, state, recovery_addresses = [] } = identity;
  const addresses = recovery_addresses.filter(({ via }) => via === 'email');
  const queryClient = useQueryClient();
  const [chosen, choose] = useState(addresses[0]?.id);
  const name = shortName(identity);
  const address = addresses.find((one) => one.id === chosen)?.value ?? '';
  return (
    <ConfirmDialog
      title={`Send ${name} a recovery link?`}
      consequence={
        addresses.length > 1
          ? 'The identity service sends the link to this address:'
          : `The identity service sends the link to ${address}.`
      }
      details={['With the link, the person can sign in once and set new credentials.', 'The link is not shown here.']}
      action="Send link"
      danger={false}
      refused={refusalOf(state, addresses.length)}
      onClose={onClose}
      act={async (reason) => {
        const path = `/api/identities/${encodeURIComponent(id)}/recovery`;
        await send(path, { method: 'POST', body: { recovery_address_id: chosen }, reason });
        toast(`The identity service sends a recovery link to ${shortened(address)}`);
        onClose();
        for (const queryKey of [['messages'], historyQuery(`identity:${id}`).queryKey])
          void queryClient.invalidateQueries({ queryKey });
      }}
    >
      {addresses.length > 1 && (
        <Radio.Group aria-label="Recovery address" value={chosen ?? null} onChange={choose}>
          <Stack gap="xs">
            {addresses.map(({ id: value, value: text }) => (
              <Radio key={value} value={value} label={<bdi>{visibleText(text)}</bdi>} />
            ))}
          </Stack>
        </Radio.Group>
      )}
    </ConfirmDialog>
  );
}

function refusalOf(state: string, addresses: number): string | undefined {
  if (state !== 'active') return 'This identity is inactive. Activate it first: until then, no link can be sent.';
  return addresses > 0 ? undefined : 'This identity has no e-mail address for recovery, so no link can be sent.';
}
