import { Alert, Button, Group, Stack, Switch, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { isAlwaysEncrypted, type Setting } from '../../../shared/settings.ts';
import { RequestError, reworded } from '../../api/request.ts';
import { useCan } from '../../api/session.ts';
import { decryptSetting, SETTINGS_KEY, saveSetting, settingCategoriesQuery } from '../../api/settings.ts';
import { capitalised, shortened } from '../../lib/visible-text.ts';
import { sameJson } from '../../record/member-changes.ts';
import { DraftRefused, FormButtons, FormFailure, useRecordForm } from '../../record/record-form.tsx';
import { offerSettingUndo, settingWrite } from '../../record/undo.ts';
import { SmallButton } from '../../ui/buttons.tsx';
import { CANNOT_BE_UNDONE } from '../../ui/confirm-dialog.tsx';
import { FailureNote } from '../../ui/failure-panel.tsx';
import { SecretTextarea, StoredTextInput } from '../../ui/fields.tsx';
import { useSingleFlight } from '../../ui/hooks.tsx';
import { IconInfoCircle } from '../../ui/icons.tsx';
import { Dimmed } from '../../ui/layout.tsx';
import {
  draftOf,
  draftProblems,
  emptyDraft,
  hasSecret,
  inputOf,
  keyHelp,
  knownKey,
  looksSecret,
  type SettingDraft,
  withoutSecret,
} from './setting-draft.ts';

/** The page without its drawer. */
export const CLOSED = {
  to: '/settings',
  search: (current: object) => ({ ...current, key: undefined, new: undefined }),
} as const;

/** @param setting the stored one, as it was opened; undefined for a new one */
export function SettingForm(props: { setting: Setting | undefined; newKey: string; onSaved: () => void }) {
  const { setting } = props;
  const { data: categories = [] } = useQuery(settingCategoriesQuery);
  const isNew = setting === undefined;
  const submit = isNew ? 'Create' : 'Save';
  const form = useSettingForm(props);
  const { draft, problems, change } = form;
  return (
    <form {...form.formProps}>
      <Stack gap="md">
        {form.restored && (
          <Alert variant="light" icon={<IconInfoCircle size={24} />} title="Your unsaved changes were restored">
            {hasSecret(draft, setting) && 'Secret values are not restored. Enter the value again.'}
          </Alert>
        )}
        <StoredTextInput
          label="Key"
          description={knownKey(draft.key) ?? (isNew && keyHelp(draft.key))}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          required
          data-autofocus={isNew || undefined}
          readOnly={!isNew}
          variant={isNew ? 'default' : 'filled'}
          value={draft.key}
          error={problems.key}
          onChange={(event) => change({ key: event.currentTarget.value })}
        />
        <Stack gap="xs">
          <SecretTextarea
            secret={hasSecret(draft, setting)}
            label={setting?.encrypted ? 'New value' : 'Value'}
            data-autofocus={!isNew || undefined}
            value={draft.value}
            error={problems.value}
            onChange={(event) => change({ value: event.currentTarget.value })}
          />
          {setting?.encrypted && <FillIn setting={setting} onValue={(value) => change({ value })} />}
        </Stack>
        {isAlwaysEncrypted(draft.key) ? (
          <Text size="sm">The value of this key is a secret, and always stored encrypted.</Text>
        ) : (
          <Switch
            label="Store encrypted"
            // Mantine's own label would include the description.
            aria-label="Store encrypted"
            description={
              !draft.encrypted && looksSecret(draft.key)
                ? 'This key looks like that of a secret. Turn this on, or everyone who can read settings will see the value.'
                : 'The value is masked in lists, and revealing it is recorded.'
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
          <Alert color="orange" variant="light" title="The plain value will be deleted">
            Earlier versions in plain text are deleted too. {CANNOT_BE_UNDONE}
          </Alert>
        )}
        <StoredTextInput
          label="Category"
          description="Used to filter the list. Leave empty for none."
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          list="setting-categories"
          spellCheck
          value={draft.category}
          error={problems.category}
          onChange={(event) => change({ category: event.currentTarget.value })}
        />
        <datalist id="setting-categories">
          {categories.map((category) => (
            <option key={category} value={category} />
          ))}
        </datalist>
        {form.failure !== undefined && <FormFailure error={form.failure} title="Not saved" />}
        {form.confirming ? (
          <ConfirmPlainText setting={setting} onChoice={form.confirm} />
        ) : (
          <FormButtons needs="settings.write" cancel={CLOSED} submit={submit} pending={form.pending} />
        )}
      </Stack>
      {form.leaveDialog}
    </form>
  );
}

function useSettingForm(props: { setting: Setting | undefined; newKey: string; onSaved: () => void }) {
  const { setting } = props;
  const queryClient = useQueryClient();
  const [start] = useState(() => (setting === undefined ? emptyDraft(props.newKey) : draftOf(setting)));
  const [confirming, setConfirming] = useState(false);
  /** A key that the operator has chosen to store in plain text, although it looks like that of a secret. */
  const [plainKey, setPlainKey] = useState<string>();
  const form = useRecordForm<null, SettingDraft>(
    {
      storedAs: 'settings.draft',
      // No base, because it would be stored with the draft, and the stored setting may be secret.
      draftOf: () => start,
      same: sameJson,
      withoutSecrets: (draft) => withoutSecret(draft, setting),
      problemsIn,
    },
    {
      // Empty for a new setting, since no stored setting has an empty key.
      of: setting?.key ?? '',
      start: null,
      save: (draft) => save(draft, plainKey === draft.key),
      explain: async ({ code }, named) =>
        code === 'precondition_failed' && setting === undefined
          ? { key: 'A setting with this key already exists. Open it from the list to change it.' }
          : named,
    },
  );

  async function save(draft: SettingDraft, confirmed: boolean): Promise<void> {
    const changed = { ...draft, encrypted: draft.encrypted || isAlwaysEncrypted(draft.key) };
    const found = draftProblems(changed, setting);
    if (Object.keys(found).length > 0) throw new DraftRefused(found, true);
    if (!changed.encrypted && looksSecret(changed.key) && !confirmed) return setConfirming(true);
    const isNew = setting === undefined;
    const input = inputOf(changed, isNew ? undefined : start);
    const response = await saveSetting(input, setting ?? null).catch((error: Error) => {
      if (isNew || !(error instanceof RequestError && error.code === 'precondition_failed')) throw error;
      void queryClient.invalidateQueries({ queryKey: SETTINGS_KEY });
      throw reworded(
        error,
        'The setting was changed or deleted after you opened it. Close the form and open it again to see what is stored now.',
      );
    });
    const saved = response.setting;
    await queryClient.invalidateQueries({ queryKey: SETTINGS_KEY });
    const message = `${isNew ? 'Created' : 'Saved'} ${shortened(saved.key)}${saved.encrypted ? ', encrypted' : ''}`;
    offerSettingUndo(message, [settingWrite(setting, response)], queryClient);
    form.finish();
    props.onSaved();
  }

  return {
    ...form,
    change(part: Partial<SettingDraft>) {
      form.change(part);
      setConfirming(false);
    },
    /** True if a probable secret would be stored in plain text: call `confirm` with the choice of the operator. */
    confirming,
    confirm(encrypted: boolean) {
      setConfirming(false);
      if (!encrypted) setPlainKey(form.draft.key);
      form.change({ encrypted });
      form.attempt(() => save({ ...form.draft, encrypted }, true));
    },
  };
}

/** Finds the rejected field: the message of the server begins with its name. */
function problemsIn(message: string) {
  const field = /^(?:key|value|category)(?= )/.exec(message)?.[0];
  return field === undefined ? undefined : { [field]: capitalised(message) };
}

/**
 * The value of an encrypted setting starts out empty, because a mask could be saved by mistake. Since every save needs
 * a value, an operator who changes only the category fills in the stored one, which is an audited decryption.
 */
function FillIn({ setting, onValue }: { setting: Setting; onValue: (value: string) => void }) {
  const mayDecrypt = useCan()('settings.decrypt');
  const { run, pending, failure } = useSingleFlight();
  const fillIn = () => run(async () => onValue(await decryptSetting(setting.key)));
  if (!mayDecrypt) return null;
  return (
    <>
      <Group gap="xs" align="flex-start">
        <Dimmed size="xs" flex="1 1 14rem">
          Saving requires a value, and the stored one is hidden. Enter a new value, or fill in the stored one if you
          only want to change other fields. Filling it in is recorded in the audit trail.
        </Dimmed>
        <SmallButton loading={pending} onClick={() => void fillIn()}>
          Fill in the stored value
        </SmallButton>
      </Group>
      <FailureNote error={failure} />
    </>
  );
}

/** Asks whether to store a probable secret in plain text. In place, because the editor is already a dialog. */
function ConfirmPlainText(props: { setting: Setting | undefined; onChoice: (encrypted: boolean) => void }) {
  return (
    <Stack gap="xs" role="group" aria-label="Store it encrypted?">
      <Text size="sm">
        This key looks like that of a secret. In plain text, everyone who can read settings will see the value in the
        list.
        {props.setting?.encrypted === false &&
          ` Encrypting it deletes the plain value, also from earlier versions. ${CANNOT_BE_UNDONE}`}
      </Text>
      <Group gap="xs">
        <Button autoFocus onClick={() => props.onChoice(true)}>
          Store encrypted
        </Button>
        <Button variant="default" onClick={() => props.onChoice(false)}>
          Store in plain text
        </Button>
      </Group>
    </Stack>
  );
}
