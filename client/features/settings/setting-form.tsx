import { Alert, Button, Group, Stack, Switch, Text } from '@mantine/core';
import { useEffect, useRef } from 'react';
import { isAlwaysEncrypted, type Setting } from '../../../shared/settings.ts';
import { CANNOT_BE_UNDONE } from '../../ui/confirm-dialog.tsx';
import { FailurePanel } from '../../ui/failure-panel.tsx';
import { SecretTextarea, StoredTextInput } from '../../ui/fields.tsx';
import { IconInfoCircle } from '../../ui/icons.tsx';
import { knownFamily, knownKey } from './known-keys.ts';
import { looksSecret } from './secret-value.tsx';
import { hasSecret, type SettingFormState, useSettingForm } from './use-setting-form.ts';

/**
 * @param setting the stored one; undefined for a new one
 * @param onUnsaved called with whether there are unsaved changes
 */
export function SettingForm(props: {
  /** Offered for the setting's own. */
  categories: readonly string[];
  setting: Setting | undefined;
  newKey: string;
  onUnsaved: (dirty: boolean) => void;
  onSaved: () => void;
  onClose: () => void;
}) {
  const { categories, setting, onClose } = props;
  const form = useSettingForm(props);
  const { draft, problems, change } = form;
  const known = knownKey(draft.key);
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        form.save();
      }}
    >
      <Stack gap="md">
        {form.restored && (
          <Alert variant="light" icon={<IconInfoCircle size={24} />} title="Your unsaved changes were restored">
            {hasSecret(draft, setting) && 'A secret value is never kept. Enter it again.'}
          </Alert>
        )}
        <StoredTextInput
          label="Key"
          description={
            known?.about ??
            (setting === undefined
              ? (knownFamily(draft.key) ?? 'Dots group related keys, for example mail.smtp.host and mail.smtp.port.')
              : undefined)
          }
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          required
          data-autofocus={setting === undefined || undefined}
          readOnly={setting !== undefined}
          variant={setting === undefined ? 'default' : 'filled'}
          autoComplete="off"
          spellCheck={false}
          value={draft.key}
          error={problems.key}
          onChange={(event) => change({ key: event.currentTarget.value })}
        />
        <SettingValueField setting={setting} form={form} />
        {isAlwaysEncrypted(draft.key) ? (
          <Text size="sm">This key holds a secret: it is always stored encrypted.</Text>
        ) : (
          <Switch
            label="Store encrypted"
            // Mantine's label contains the description too.
            aria-label="Store encrypted"
            description={
              !draft.encrypted && looksSecret(draft.key)
                ? 'This key looks like a secret’s: turn this on, or everyone who can read settings sees the value.'
                : 'Lists show it masked; revealing it is recorded.'
            }
            checked={draft.encrypted}
            onChange={(event) => change({ encrypted: event.currentTarget.checked })}
          />
        )}
        {setting?.encrypted && !draft.encrypted && (
          <Alert color="orange" variant="light" title="The value will be stored in plain text">
            Everyone who can read settings will see it in the list.
          </Alert>
        )}
        {setting?.encrypted === false && draft.encrypted && (
          <Alert color="orange" variant="light" title="The plain value will be forgotten">
            Its earlier versions go as well. {CANNOT_BE_UNDONE}
          </Alert>
        )}
        <StoredTextInput
          label="Category"
          description="Used to filter the list. Leave empty for none."
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          list="setting-categories"
          autoComplete="off"
          value={draft.category}
          error={problems.category}
          onChange={(event) => change({ category: event.currentTarget.value })}
        />
        <datalist id="setting-categories">
          {categories.map((category) => (
            <option key={category} value={category} />
          ))}
        </datalist>
        {form.failure !== undefined && <FailurePanel error={form.failure} title="Not saved" />}
        {form.asking ? (
          <PlainSecretQuestion setting={setting} onAnswer={form.answer} />
        ) : (
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={form.pending}>
              {setting === undefined ? 'Create' : 'Save'}
            </Button>
          </Group>
        )}
      </Stack>
    </form>
  );
}

/**
 * The value. For an encrypted setting it starts empty, never with a mask that could be saved by mistake. Every save
 * needs a value, so an operator who changes only the category fills in the stored one, which is an audited decryption.
 */
export function SettingValueField({ setting, form }: { setting: Setting | undefined; form: SettingFormState }) {
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

/** Before what looks like a secret is stored in plain text; in place, since the editor is a dialog already. */
export function PlainSecretQuestion(props: {
  /** The stored one. */
  setting: Setting | undefined;
  onAnswer: (encrypted: boolean) => void;
}) {
  const main = useRef<HTMLButtonElement>(null);
  useEffect(() => main.current?.focus(), []);
  return (
    <Stack gap="xs" role="group" aria-label="Store it encrypted?">
      <Text size="sm">
        This key looks like a secret’s. In plain text, everyone who can read settings sees the value in the list.
        {props.setting?.encrypted === false &&
          ` Encrypting it forgets the plain value and its earlier versions. ${CANNOT_BE_UNDONE}`}
      </Text>
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={() => props.onAnswer(false)}>
          Store in plain text
        </Button>
        <Button ref={main} onClick={() => props.onAnswer(true)}>
          Store encrypted
        </Button>
      </Group>
    </Stack>
  );
}
