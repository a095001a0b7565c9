import { Button, Code, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { encryptValue } from '../../api/settings-record.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { type Failure, FailurePanel } from '../../ui/feedback/failure-panel.tsx';
import { SecretTextarea } from '../../ui/form/secret-textarea.tsx';
import { useSingleFlight } from '../../ui/hooks/use-single-flight.ts';

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
