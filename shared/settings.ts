import { isBearerKey } from './upstreams.ts';

/** A setting (docs/api.md#settings). `value` is ciphertext if `encrypted`, unless read with `?decrypt=true`. */
export interface Setting {
  key: string;
  value: string;
  encrypted: boolean;
  category: string | null;
  /** ISO 8601, UTC, with milliseconds. */
  updated_at: string;
}

/** `GET /api/settings`. */
export interface SettingList {
  settings: Setting[];
}

/** `GET /api/settings` with `page_size`, `page_token` or `key_contains`. */
export interface SettingPage extends SettingList {
  next_page_token: string | null;
  has_more: boolean;
  /** All categories of settings; on the first page only. */
  categories?: string[];
}

/** `POST /api/settings`. On update, absent members keep their stored values; `category: null` clears it. */
export interface SettingInput {
  key: string;
  value: string;
  encrypted?: boolean;
  category?: string | null;
}

/** `POST /api/encrypt`: the result can be decrypted only as the value of the setting `key`; without, in no setting. */
export interface EncryptInput {
  value: string;
  key?: string;
}
export interface EncryptResult {
  encrypted: string;
}

/** A setting as it was before a change. `value` is ciphertext if `encrypted`, unless read with `decrypt=true`. */
export interface SettingVersion {
  /** The number of the audit record of that change. */
  version: number;
  value: string;
  encrypted: boolean;
  category: string | null;
  /** When the change replaced this version. */
  at: string;
  actor: string;
  action: SettingChange;
}
export const SETTING_CHANGES = ['setting_write', 'setting_delete', 'setting_restore'] as const;
export type SettingChange = (typeof SETTING_CHANGES)[number];

/** `GET /api/setting-history`, newest first. */
export interface SettingHistory {
  versions: SettingVersion[];
}

/** `POST /api/setting-history/restore`. */
export interface SettingRestoration {
  key: string;
  version: number;
}

/** The response header with the version that a change of a setting stored in the history. */
export const KEPT_VERSION_HEADER = 'Kept-Version';
/** The maximum number of versions of a setting; older ones are deleted. */
export const SETTING_VERSIONS_MAX = 50;
export const SETTING_VERSION_DAYS = 365;

export const SETTING_KEY_MAX_CHARACTERS = 255;
export const SETTING_CATEGORY_MAX_CHARACTERS = 255;
export const SETTING_VALUE_MAX_BYTES = 65_536;

/** Whether a setting is the bearer key of an upstream. */
const isUpstreamKey = (key: string): boolean => /^upstream\..*\.api_key$/s.test(key);

/** Whether a setting holds a credential, and is stored encrypted regardless of the request. */
export const isAlwaysEncrypted = (key: string): boolean =>
  isUpstreamKey(key) || /^social\..*\.client_secret$/s.test(key);

/** Which keys need a special value, whether a value is one, and in words what it must be. */
const VALUE_RULES = [
  [isUpstreamKey, isBearerKey, 'printable ASCII without spaces, at most 4,096 characters: it is sent in a header'],
] as const;

/** What the value of a setting must be but is not, in words. */
export const brokenRule = (key: string, value: string): string | undefined =>
  VALUE_RULES.find(([appliesTo, accepts]) => appliesTo(key) && !accepts(value))?.[2];

export interface SocialProvider {
  provider: string;
  display_name: string;
  enabled: true;
}

/** `GET /api/connections/social`, in display order. */
export interface SocialConnections {
  providers: SocialProvider[];
}

/** The stored fields of a provider, each in a setting of its own. */
export const SOCIAL_FIELDS = ['client_id', 'client_secret', 'display_name', 'scopes', 'enabled'] as const;
export type SocialField = (typeof SOCIAL_FIELDS)[number];

/** The setting with the order of the providers: comma-separated names. */
export const SOCIAL_ORDER = 'social.order';
export const SOCIAL_CATEGORY = 'social';

export const socialSetting = (provider: string, field: SocialField): string => `social.${provider}.${field}`;

export const isProviderName = (name: string): boolean => /^[a-z0-9_-]{1,40}$/.test(name);
