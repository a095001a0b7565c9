import { Button, Group, Stack, Text } from '@mantine/core';
import type { Setting } from '../../../shared/settings.ts';
import { SecretTextarea } from '../../ui/form/secret-textarea.tsx';
import { hasSecret } from './setting-draft.ts';
import type { SettingForm } from './use-setting-form.ts';

/**
 * The value. For an encrypted setting it starts empty, never with a mask that could be saved by mistake. Every save
 * needs a value, so an operator who changes only the category fills in the stored one, which is an audited decryption.
 */
export function SettingValueField({ setting, form }: { setting: Setting | undefined; form: SettingForm }) {
  const { draft, problems } = form;
  return (
    <Stack gap="xs">
      <SecretTextarea
        secret={hasSecret(draft, setting)}
        label={setting?.encrypted ? 'New value' : 'Value'}
        data-autofocus={setting !== undefined || undefined}
        value={draft.value}
        error={problems.value}
        onChange={(event) => form.change({ value: event.currentTarget.value })}
      />
      {setting?.encrypted && (
        <Group gap="xs" align="flex-start">
          <Text size="xs" c="dimmed" flex="1 1 14rem">
            The stored value is hidden, and saving requires a value. Enter a new one, or fill in the stored one to
            change only other fields. Filling it in is recorded in the audit trail.
          </Text>
          <Button size="compact-xs" variant="default" loading={form.filling} onClick={form.fillIn}>
            Fill in the stored value
          </Button>
        </Group>
      )}
    </Stack>
  );
}
