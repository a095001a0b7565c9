import type { Setting, SettingInput } from '../../../shared/settings.ts';
import { knownKey } from './known-keys.ts';
import { looksSecret } from './secret-looking.ts';

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
  encrypted: isToBeEncrypted(key),
  category: '',
});

/** Default, unless the operator chooses otherwise. */
export const isToBeEncrypted = (key: string): boolean => knownKey(key)?.secret ?? looksSecret(key);

/**
 * A new setting's draft with another key. Encryption follows the key until the operator chooses; once there is a
 * value, a half-typed key never switches encryption off.
 */
export function withKey(draft: SettingDraft, key: string, decided: boolean): SettingDraft {
  const encrypted = decided ? draft.encrypted : isToBeEncrypted(key) || (draft.encrypted && draft.value !== '');
  return { ...draft, key, encrypted };
}

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

/** What may be kept through a sign-in in this tab: never a value that is or will be secret. */
export const keepable = (draft: SettingDraft): SettingDraft => ({
  ...draft,
  value: draft.encrypted ? '' : draft.value,
});
