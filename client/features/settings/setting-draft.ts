import {
  brokenRule,
  isAlwaysEncrypted,
  SETTING_KEY_MAX_CHARACTERS,
  SETTING_VALUE_MAX_BYTES,
  type Setting,
  type SettingInput,
} from '../../../shared/settings.ts';
import { apiKeySetting, UPSTREAM_NAMES } from '../../../shared/upstreams.ts';
import { digits } from '../../lib/format-count.ts';

export interface SettingDraft {
  key: string;
  value: string;
  encrypted: boolean;
  category: string;
}

/** The form's initial values. Ciphertext never appears in an input. */
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

/**
 * The request body. An update contains the value, and other fields only if they changed, so that it does not revert
 * another operator's change, such as encrypting the setting.
 */
export function inputOf(draft: SettingDraft, before: SettingDraft | undefined): SettingInput {
  const input: SettingInput = { key: draft.key, value: draft.value };
  const category = draft.category.trim() === '' ? null : draft.category.trim();
  if (before === undefined) return { ...input, encrypted: draft.encrypted, category };
  if (draft.encrypted !== before.encrypted) input.encrypted = draft.encrypted;
  if (draft.category !== before.category) input.category = category;
  return input;
}

/**
 * Whether the value is a secret or may become one: it is then masked, and drafts omit it.
 * @param setting the stored one
 */
export const hasSecret = (draft: SettingDraft, setting: Setting | undefined): boolean =>
  draft.encrypted || setting?.encrypted === true || looksSecret(draft.key);

/** The draft that this tab may store during a sign-in, without a secret value. */
export const withoutSecret = (draft: SettingDraft, setting: Setting | undefined): SettingDraft =>
  hasSecret(draft, setting) ? { ...draft, value: '' } : draft;

export type FieldProblems = Partial<Record<'key' | 'value' | 'category', string>>;

/**
 * Problems that the form can find itself; the server has the last word.
 * @param setting the stored one; undefined for a new one
 */
export function draftProblems(draft: SettingDraft, setting: Setting | undefined): FieldProblems {
  const problems: FieldProblems = {};
  if (draft.key === '') problems.key = 'Enter a key.';
  else if ([...draft.key].length > SETTING_KEY_MAX_CHARACTERS) {
    problems.key = `At most ${SETTING_KEY_MAX_CHARACTERS} characters.`;
  }
  if (setting?.encrypted && draft.value === '') {
    problems.value = 'Enter a new value, or fill in the stored one. To remove the value, delete the setting.';
  } else if (new TextEncoder().encode(draft.value).length > SETTING_VALUE_MAX_BYTES) {
    problems.value = `At most ${digits(SETTING_VALUE_MAX_BYTES)} bytes.`;
  }
  const rule = brokenRule(draft.key, draft.value);
  if (problems.value === undefined && rule !== undefined) problems.value = `Enter ${rule}.`;
  return problems;
}

/** The meaning of social sign-in settings, by the last part of their keys. */
const SOCIAL: ReadonlyMap<string, string> = new Map(
  Object.entries({
    client_id: 'The client ID issued by this social provider. Without it, the provider is not offered.',
    client_secret: 'The client secret issued by this social provider.',
    enabled: 'Whether people may sign in through this social provider: true or false.',
    display_name: 'The name of this social provider on login pages.',
    scopes: 'The scopes requested from this social provider, separated by spaces.',
  }),
);

/** The upstream whose API key the setting is. */
export const upstreamOf = (key: string) => UPSTREAM_NAMES.find((name) => apiKeySetting(name) === key);

/** The key's meaning for the dashboard; undefined for unknown keys. */
export function knownKey(key: string): string | undefined {
  const upstream = upstreamOf(key);
  if (upstream !== undefined)
    return `The bearer key sent with every request under /api/${upstream}, always stored encrypted. If the key for the operators’ own identity store is wrong, nobody can sign in.`;
  if (key === 'social.order')
    return 'The order in which social providers are offered: their names, separated by commas.';
  return SOCIAL.get(/^social\.[^.]+\.([^.]+)$/.exec(key)?.[1] ?? '');
}

export function keyHelp(key: string): string {
  if (key.startsWith('upstream.'))
    return `Known keys: upstream.<prefix>.api_key, where <prefix> is one of ${UPSTREAM_NAMES.join(', ')}.`;
  if (key.startsWith('social.'))
    return `Known keys: social.order, and social.<provider>. followed by ${[...SOCIAL.keys()].join(', ')}.`;
  return 'Dots group related keys, for example mail.smtp.host and mail.smtp.port.';
}

/** Words that name secrets, delimited by dots, dashes, underscores and capitals in the key. */
const SECRET_WORDS =
  /^(?:api)?keys?$|^(?:pass|pwd|passwd|passwords?|passphrase|passcode|pin|secrets?|tokens?|credentials?|private|salt|seed|hmac|dsn)$/;

/** Whether a setting with this key probably contains a secret: `mail.smtp.password`, `stripe.apiKey`. */
export const looksSecret = (key: string): boolean =>
  isAlwaysEncrypted(key) ||
  (knownKey(key) === undefined &&
    key
      .replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
      .toLowerCase()
      .split(/[^\p{L}\p{N}]+/u)
      .some((word) => SECRET_WORDS.test(word)));
