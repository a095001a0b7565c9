import { Button, Code, Drawer, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { type FormEvent, useRef, useState } from 'react';
import type { Setting } from '../../../shared/settings.ts';
import { encryptValue, settingQuery } from '../../api/settings.ts';
import { CopyButton } from '../../ui/buttons.tsx';
import { useConfirmLeave } from '../../ui/confirm-leave.tsx';
import { type Failure, FailurePanel } from '../../ui/failure-panel.tsx';
import { SecretTextarea } from '../../ui/fields.tsx';
import { useSingleFlight } from '../../ui/hooks.tsx';
import { LoadingRows } from '../../ui/loading.tsx';
import { CopySetting } from './secret-value.tsx';
import { SettingForm } from './setting-form.tsx';
import { SettingHistory } from './setting-history.tsx';

const route = getRouteApi('/signed-in/settings');

/** The form next to the list. What is open is in the address, so that Back closes it and links open it. */
export function SettingEditor(props: {
  /** Those of the list, which need not be read again. */
  listed: readonly Setting[];
  categories: readonly string[];
}) {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const unsaved = useRef(false);
  const leaveDialog = useConfirmLeave(() => unsaved.current, 'changes');
  const leave = (ignoreBlocker: boolean) =>
    void navigate({ search: (current) => ({ ...current, key: undefined, new: undefined }), ignoreBlocker });
  const close = () => leave(false);

  const creating = search.new !== undefined;
  const listed = props.listed.find(({ key }) => key === search.key);
  const read = useQuery({ ...settingQuery(search.key ?? ''), enabled: !creating && listed === undefined });
  const setting = creating ? undefined : (listed ?? read.data);
  return (
    <>
      <Drawer opened onClose={close} position="right" size="34rem" title={creating ? 'New setting' : 'Edit setting'}>
        {setting === null ? (
          <NoSuchSetting settingKey={search.key ?? ''} />
        ) : setting === undefined && !creating ? (
          read.error === null ? (
            <LoadingRows label="Loading the setting" rows={4} height={44} />
          ) : (
            <FailurePanel error={read.error} onRetry={() => void read.refetch()} />
          )
        ) : (
          <SettingForm
            categories={props.categories}
            setting={setting}
            newKey={search.key ?? ''}
            onUnsaved={(dirty) => {
              unsaved.current = dirty;
            }}
            onSaved={() => leave(true)}
            onClose={close}
          />
        )}
        {setting && <CopySetting setting={setting} />}
        {!creating && search.key !== undefined && (
          <SettingHistory settingKey={search.key} deleted={setting === null} onRestored={() => leave(true)} />
        )}
      </Drawer>
      {leaveDialog}
    </>
  );
}

function NoSuchSetting({ settingKey }: { settingKey: string }) {
  return (
    <Stack>
      <Text size="sm">
        No setting has the key <strong>{settingKey}</strong>. It may have been deleted: what is kept of it can be
        restored below.
      </Text>
      <div>
        <Button
          renderRoot={(props) => (
            <Link {...props} to="/settings" search={(current) => ({ ...current, key: settingKey, new: 'true' })} />
          )}
        >
          Create it
        </Button>
      </div>
    </Stack>
  );
}

/** Produces ciphertext for settings that are loaded into the database by other means. Nothing is stored. */
export function EncryptTool({ onClose }: { onClose: () => void }) {
  const [value, setValue] = useState('');
  const [key, setKey] = useState('');
  const [result, setResult] = useState<string>();
  const [failure, setFailure] = useState<Failure>();
  const { run, pending } = useSingleFlight();

  const submit = (event: FormEvent): void => {
    event.preventDefault();
    void run(async () => {
      setFailure(undefined);
      try {
        setResult((await encryptValue(key === '' ? { value } : { value, key })).encrypted);
      } catch (error) {
        setResult(undefined);
        setFailure(error as Error);
      }
    });
  };

  return (
    <Modal opened onClose={onClose} title="Encrypt a value" size="lg">
      <form onSubmit={submit}>
        <Stack gap="md">
          <Text size="sm" c="dimmed">
            Encrypts a value with this deployment's key. Nothing is stored.
          </Text>
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
            description="The result can be decrypted only as this setting's value. Without a key it cannot be decrypted as any setting's value."
            inputWrapperOrder={['label', 'input', 'description', 'error']}
            autoComplete="off"
            spellCheck={false}
            value={key}
            onChange={(event) => {
              setKey(event.currentTarget.value);
              setResult(undefined);
            }}
          />
          {failure !== undefined && <FailurePanel error={failure} />}
          {result !== undefined && (
            <Group gap="xs" wrap="nowrap" align="flex-start" role="status">
              <Code block flex={1} style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
                {result}
              </Code>
              <CopyButton label="Copy the ciphertext" read={() => result} />
            </Group>
          )}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              Close
            </Button>
            <Button type="submit" loading={pending}>
              Encrypt
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
