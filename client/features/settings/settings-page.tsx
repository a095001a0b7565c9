import { TextInput } from '@mantine/core';
import { useState } from 'react';
import type { EncryptInput, EncryptResult } from '../../../shared/settings.ts';
import { request } from '../../api/request.ts';
import { useCan, useRefusal } from '../../api/session.ts';
import { GuardedButton, LinkButton } from '../../ui/buttons.tsx';
import { CopyableValue } from '../../ui/facts.tsx';
import { FailurePanel } from '../../ui/failure-panel.tsx';
import { SecretTextarea } from '../../ui/fields.tsx';
import { useSingleFlight } from '../../ui/hooks.tsx';
import { IconLockCode, IconPlus } from '../../ui/icons.tsx';
import { Dimmed } from '../../ui/layout.tsx';
import { DialogForm, Modal } from '../../ui/modal.tsx';
import { GuardedPage } from '../../ui/state-panel.tsx';
import { SettingsList } from './settings-list.tsx';

export function SettingsPage() {
  const [encrypting, setEncrypting] = useState(false);
  const refusal = useRefusal('settings.write');
  return (
    <GuardedPage
      open={useCan()('settings.read')}
      title="Settings"
      about="Other services read these values at run time. They see a change once their cache expires, after 60 seconds by default."
      actions={
        <>
          <GuardedButton
            reason={refusal}
            variant="default"
            leftSection={<IconLockCode />}
            onClick={() => setEncrypting(true)}
          >
            Encrypt a value
          </GuardedButton>
          <LinkButton
            reason={refusal}
            leftSection={<IconPlus />}
            to="/settings"
            search={(current) => ({ ...current, key: undefined, new: 'true' })}
          >
            New setting
          </LinkButton>
        </>
      }
    >
      <SettingsList />
      {encrypting && <EncryptTool onClose={() => setEncrypting(false)} />}
    </GuardedPage>
  );
}

/** Encrypts values for settings that are loaded into the database by other means. Nothing is stored. */
function EncryptTool({ onClose }: { onClose: () => void }) {
  const [value, setValue] = useState('');
  const [key, setKey] = useState('');
  const [result, setResult] = useState<string>();
  const { run, pending, failure } = useSingleFlight();

  const submit = () =>
    void run(async () => {
      setResult(undefined);
      const body = (key === '' ? { value } : { value, key }) satisfies EncryptInput;
      setResult((await request<EncryptResult>('/api/encrypt', { method: 'POST', body })).encrypted);
    });

  return (
    <Modal opened onClose={onClose} title="Encrypt a value" size="lg">
      <DialogForm onCancel={onClose} cancel="Close" pending={pending} submit="Encrypt" onSubmit={submit}>
        <Dimmed>Encrypts a value with this deployment’s key. Nothing is stored.</Dimmed>
        <SecretTextarea
          secret
          label="Value to encrypt"
          data-autofocus
          value={value}
          onChange={(event) => {
            setValue(event.currentTarget.value);
            setResult(undefined);
          }}
        />
        <TextInput
          label="Key of the setting"
          description="The result can be decrypted only as the value of this setting. Without a key, it cannot be the value of any setting."
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          value={key}
          onChange={(event) => {
            setKey(event.currentTarget.value);
            setResult(undefined);
          }}
        />
        {failure !== undefined && <FailurePanel error={failure} />}
        {result !== undefined && (
          <div role="status">
            <CopyableValue what="ciphertext" value={result} />
          </div>
        )}
      </DialogForm>
    </Modal>
  );
}
