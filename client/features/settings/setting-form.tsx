import { Alert, Button, Group, Stack, Switch, Text } from '@mantine/core';
import { isAlwaysEncrypted, type Setting } from '../../../shared/settings.ts';
import { IconInfoCircle } from '../../resource/icons.ts';
import { NO_WAY_BACK } from '../../ui/dialog/way-back.ts';
import { FailurePanel } from '../../ui/feedback/failure-panel.tsx';
import { StoredTextInput } from '../../ui/form/stored-text-input.tsx';
import { knownFamily, knownKey } from './known-keys.ts';
import { PlainSecretQuestion } from './plain-secret-question.tsx';
import { looksSecret } from './secret-looking.ts';
import { hasSecret } from './setting-draft.ts';
import { SettingValueField } from './setting-value-field.tsx';
import { useSettingForm } from './use-setting-form.ts';

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
            Its earlier versions go as well. {NO_WAY_BACK}
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
