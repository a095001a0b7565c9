import type { Setting, SettingInput } from '../../../shared/settings.ts';
import { knownKey } from './known-keys.ts';
import { looksSecret } from './secret-looking.ts';

/** What stands in the form. */
export interface SettingDraft {
  key: string;
  value: string;
  encrypted: boolean;
  category: string;
}

/** The form as it opens: a ciphertext is never put where a value is typed. */
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

/** Unless the operator says otherwise. */
export const isToBeEncrypted = (key: string): boolean => knownKey(key)?.secret ?? looksSecret(key);

/**
 * The draft of a new setting under another key: encryption follows the key, as long as it was not decided by hand.
 * Once there is a value, it is not uncovered by a key that is still being typed.
 */
export function withKey(draft: SettingDraft, key: string, decided: boolean): SettingDraft {
  const encrypted = decided ? draft.encrypted : isToBeEncrypted(key) || (draft.encrypted && draft.value !== '');
  return { ...draft, key, encrypted };
}

export const differs = (a: SettingDraft, b: SettingDraft): boolean =>
  a.key !== b.key || a.value !== b.value || a.encrypted !== b.encrypted || a.category !== b.category;

/**
 * The request's body. An update carries only what was changed here: what another operator changed meanwhile, above
 * all from plain to encrypted, stays.
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

/** Keeps a draft over a sign-in in this tab: everything but a value that is, or is to be, a secret. */
export function keepDraft(storage: Pick<Storage, 'setItem'>, opened: string | undefined, draft: SettingDraft): void {
  const value = draft.encrypted ? '' : draft.value;
  storage.setItem(STORED_DRAFT, JSON.stringify({ opened: opened ?? null, draft: { ...draft, value } }));
}

/**
 * The kept draft, which stays kept: a form that is drawn is not yet a form that is shown.
 * @param opened the key of the setting whose form opens; undefined for a new one
 */
export function keptDraft(storage: Pick<Storage, 'getItem'>, opened: string | undefined): SettingDraft | undefined {
  const stored = storage.getItem(STORED_DRAFT);
  if (stored === null) return undefined;
  const kept = JSON.parse(stored) as { opened: string | null; draft: SettingDraft };
  return kept.opened === (opened ?? null) ? kept.draft : undefined;
}

/** Once a form is shown, be it another one. */
export const forgetDraft = (storage: Pick<Storage, 'removeItem'>): void => storage.removeItem(STORED_DRAFT);
