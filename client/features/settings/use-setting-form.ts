import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import {
  isAlwaysEncrypted,
  SETTING_KEY_MAX_CHARACTERS,
  SETTING_VALUE_MAX_BYTES,
  type Setting,
  type SettingInput,
} from '../../../shared/settings.ts';
import { isBearerKey } from '../../../shared/upstreams.ts';
import { RequestError } from '../../api/request.ts';
import { useOperator } from '../../api/session.ts';
import { decryptSetting, SETTINGS_KEY, saveSetting } from '../../api/settings.ts';
import { digits } from '../../lib/format-count.ts';
import { onLeaving } from '../../lib/sign-in.ts';
import { forgetDraft, keepDraft, keptDraft } from '../../lib/tab-storage.ts';
import { offerSettingUndo, settingChange } from '../../record/undo.ts';
import type { Failure } from '../../ui/failure-panel.tsx';
import { useSingleFlight } from '../../ui/hooks.tsx';
import { knownKey } from './known-keys.ts';
import { looksSecret } from './secret-value.tsx';

const KEPT_AS = 'settings.draft';

export interface SettingFormState {
  draft: SettingDraft;
  problems: FieldProblems;
  failure: Failure | undefined;
  /** The draft was restored after a sign-in. */
  restored: boolean;
  pending: boolean;
  filling: boolean;
  change(part: Partial<SettingDraft>): void;
  /** Decrypts the stored value into the form. */
  fillIn(): void;
  save(): void;
  /** Whether a value that looks secret is to be stored in plain text after all is waiting for `answer`. */
  asking: boolean;
  answer(encrypted: boolean): void;
}

export function useSettingForm(props: {
  setting: Setting | undefined;
  newKey: string;
  onUnsaved: (dirty: boolean) => void;
  onSaved: () => void;
}): SettingFormState {
  const { setting, onUnsaved, onSaved } = props;
  const queryClient = useQueryClient();
  const [start] = useState(() => (setting === undefined ? emptyDraft(props.newKey) : draftOf(setting)));
  /** No setting has an empty key. */
  const of = setting?.key ?? '';
  const { identityId: operator } = useOperator();
  const [restored] = useState(() => keptDraft<never, SettingDraft>(KEPT_AS, { operator, of })?.draft);
  const [draft, setDraft] = useState(restored ?? start);
  /** Keys that were chosen to be stored in plain text although they look like a secret's. */
  const [plainKeys] = useState(() => new Set<string>());
  const [asking, setAsking] = useState(false);
  const [problems, setProblems] = useState<FieldProblems>({});
  const [failure, setFailure] = useState<Failure>();
  const saving = useSingleFlight();
  const filling = useSingleFlight();
  const dirty = differs(draft, start);

  useEffect(() => forgetDraft(KEPT_AS), []);
  useEffect(() => {
    onUnsaved(dirty);
    return () => onUnsaved(false);
  }, [dirty, onUnsaved]);

  useEffect(() => {
    if (!dirty) return;
    return onLeaving(() => {
      keepDraft(KEPT_AS, { operator, of, base: null, draft: keepable(draft, setting) });
      onUnsaved(false);
    });
  }, [dirty, draft, setting, operator, of, onUnsaved]);

  const fail = (error: unknown): void => {
    const atField = error instanceof RequestError ? problemAtField(error) : undefined;
    if (atField !== undefined) setProblems(atField);
    else setFailure(error as Error);
  };

  const save = async (encrypted: boolean): Promise<void> => {
    const wanted = { ...draft, encrypted: encrypted || isAlwaysEncrypted(draft.key) };
    const found = draftProblems(wanted, setting);
    setProblems(found);
    setFailure(undefined);
    if (Object.keys(found).length > 0) return;
    if (!wanted.encrypted && looksSecret(wanted.key) && !plainKeys.has(wanted.key)) return setAsking(true);
    try {
      const isNew = setting === undefined;
      const changed = await saveSetting(inputOf(wanted, isNew ? undefined : start), isNew);
      const saved = changed.setting;
      await queryClient.invalidateQueries({ queryKey: SETTINGS_KEY });
      const said = `${saved.key} is saved${saved.encrypted ? ', encrypted' : ''}`;
      offerSettingUndo(said, [settingChange(setting, changed)], queryClient);
      onSaved();
    } catch (error) {
      fail(error);
    }
  };

  return {
    draft,
    problems,
    failure,
    restored: restored !== undefined,
    pending: saving.pending,
    filling: filling.pending,
    change(part) {
      setDraft((current) => ({ ...current, ...part }));
      setProblems({});
      setAsking(false);
    },
    fillIn: () =>
      void filling.run(async () => {
        if (setting === undefined) return;
        const value = await decryptSetting(setting.key).catch(fail);
        if (value !== undefined) setDraft((current) => ({ ...current, value }));
      }),
    save: () => void saving.run(() => save(draft.encrypted)),
    asking,
    answer(encrypted) {
      setAsking(false);
      if (!encrypted) plainKeys.add(draft.key);
      setDraft((current) => ({ ...current, encrypted }));
      void saving.run(() => save(encrypted));
    },
  };
}

/** The form's values. */
export interface SettingDraft {
  key: string;
  value: string;
  encrypted: boolean;
  category: string;
}

/** The form's initial values: ciphertext never appears in an input. */
export const draftOf = (setting: Setting): SettingDraft => ({
  key: setting.key,
  value: setting.encrypted ? '' : setting.value,
  encrypted: setting.encrypted,
  category: setting.category ?? '',
});

export const emptyDraft = (key: string): SettingDraft => ({
  key,
  value: '',
  encrypted: looksSecret(key),
  category: '',
});

export const differs = (a: SettingDraft, b: SettingDraft): boolean =>
  a.key !== b.key || a.value !== b.value || a.encrypted !== b.encrypted || a.category !== b.category;

/**
 * The request body. An update contains only what was changed here, so that another operator's change (above all from
 * plain to encrypted) is not undone.
 */
export function inputOf(draft: SettingDraft, before: SettingDraft | undefined): SettingInput {
  const input: SettingInput = { key: draft.key, value: draft.value };
  const category = draft.category.trim() === '' ? null : draft.category.trim();
  if (before === undefined) return { ...input, encrypted: draft.encrypted, category };
  if (draft.encrypted !== before.encrypted) input.encrypted = draft.encrypted;
  if (draft.category !== before.category) input.category = category;
  return input;
}

/** Whether the value is, will be or may be secret: covered on the screen, and never kept. @param setting the stored one */
export const hasSecret = (draft: SettingDraft, setting: Setting | undefined): boolean =>
  draft.encrypted || setting?.encrypted === true || looksSecret(draft.key);

/** What may be kept through a sign-in in this tab. */
export const keepable = (draft: SettingDraft, setting: Setting | undefined): SettingDraft =>
  hasSecret(draft, setting) ? { ...draft, value: '' } : draft;

export type FieldProblems = Partial<Record<'key' | 'value' | 'category', string>>;

/**
 * Problems that can be found without the server, whose own rules are authoritative.
 * @param setting the stored one; undefined for a new one
 */
export function draftProblems(draft: SettingDraft, setting: Setting | undefined): FieldProblems {
  const problems: FieldProblems = {};
  if (draft.key === '') problems.key = 'A setting needs a key.';
  else if ([...draft.key].length > SETTING_KEY_MAX_CHARACTERS) {
    problems.key = `At most ${SETTING_KEY_MAX_CHARACTERS} characters.`;
  }
  if (setting?.encrypted && draft.value === '') {
    problems.value = 'Type the new value, or fill in the stored one. To remove the value, delete the setting.';
  } else if (new TextEncoder().encode(draft.value).length > SETTING_VALUE_MAX_BYTES) {
    problems.value = `At most ${digits(SETTING_VALUE_MAX_BYTES)} bytes.`;
  }
  if (problems.value === undefined && knownKey(draft.key)?.bearer && !isBearerKey(draft.value)) {
    problems.value = 'A key is sent in a header: 1 to 4,096 visible ASCII characters, no spaces.';
  }
  return problems;
}

/** A refusal by the server as the problem of one field; undefined for any other. */
export function problemAtField({ code, message }: { code: string; message: string }): FieldProblems | undefined {
  if (code === 'precondition_failed')
    return { key: 'A setting with this key already exists. Open it from the list to change it.' };
  if (code !== 'bad_request') return undefined;
  // The message begins with the field's name.
  const field = (['key', 'value', 'category'] as const).find((name) => message.startsWith(`${name} `));
  return field === undefined ? undefined : { [field]: message.charAt(0).toUpperCase() + message.slice(1) };
}
