import type { Setting, SettingInput } from '../../../shared/settings.ts';
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
