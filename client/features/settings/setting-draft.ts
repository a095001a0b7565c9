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

const STORED_DRAFT = 'settings.draft';

/** Keeps a draft through a sign-in in this tab, but never a value that is or will be secret. */
export function keepDraft(storage: Pick<Storage, 'setItem'>, opened: string | undefined, draft: SettingDraft): void {
  const value = draft.encrypted ? '' : draft.value;
  storage.setItem(STORED_DRAFT, JSON.stringify({ opened: opened ?? null, draft: { ...draft, value } }));
}

/**
 * The kept draft. Reading does not remove it, since a rendered form may not be shown yet.
 * @param opened the key of the setting being edited; undefined for a new one
 */
export function keptDraft(storage: Pick<Storage, 'getItem'>, opened: string | undefined): SettingDraft | undefined {
  const stored = storage.getItem(STORED_DRAFT);
  if (stored === null) return undefined;
  const kept = JSON.parse(stored) as { opened: string | null; draft: SettingDraft };
  return kept.opened === (opened ?? null) ? kept.draft : undefined;
}

/** Called once any form is shown. */
export const forgetDraft = (storage: Pick<Storage, 'removeItem'>): void => storage.removeItem(STORED_DRAFT);
